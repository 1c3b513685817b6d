//! The methods that the builders of all providers share.

/// Implements the shared methods of a provider's builder, and `Debug`.
///
/// `settings` is the path of the [`ProviderSettings`](crate::internal::http::ProviderSettings) in the
/// builder, and `debug` lists the fields to show. The attributes before a method are added to its
/// documentation: for example, those of `env` and `base_url` describe the variables and the default.
#[doc(hidden)]
#[macro_export]
macro_rules! provider_builder {
    (
        $builder:ident { settings: $($settings:ident).+, debug: [$($name:literal: $($field:ident).+),*] }
        $(#[$env:meta])+
        env;
        $(#[$api_key:meta])*
        api_key;
        $(#[$base_url:meta])+
        base_url;
        $(#[$header:meta])*
        header;
        $(#[$timeout:meta])*
        timeout;
        $(#[$cassette:meta])*
        cassette;
    ) => {
        impl $builder {
            $(#[$env])+
            pub fn env(mut self) -> Self {
                self.$($settings).+.from_env = true;
                self
            }

            /// Sets the API key, which is sent in a header, never in a URL.
            $(#[$api_key])*
            pub fn api_key(mut self, key: impl Into<String>) -> Self {
                self.$($settings).+.key = Some(key.into());
                self
            }

            $(#[$base_url])+
            pub fn base_url(mut self, url: impl Into<String>) -> Self {
                self.$($settings).+.base_url = Some(url.into());
                self
            }

            /// Adds a header to every call, replacing a header with the same name.
            $(#[$header])*
            pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
                self.$($settings).+.headers.push((name.into(), value.into()));
                self
            }

            /// Sets the timeout of a call, from sending the request to the end of the response.
            /// Default is 10 minutes.
            $(#[$timeout])*
            pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
                self.$($settings).+.timeout = Some(timeout);
                self
            }

            /// Sets a cassette, which records calls to a file or replays them. A replay does not
            /// need an API key.
            $(#[$cassette])*
            pub fn cassette(mut self, cassette: $crate::Cassette) -> Self {
                self.$($settings).+.interceptor = Some(cassette.interceptor());
                self
            }
        }

        /// Prints neither the key nor the values of headers.
        impl std::fmt::Debug for $builder {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($builder))
                    .field("has_key", &self.$($settings).+.key.is_some())
                    $(.field($name, &self.$($field).+))*
                    .field("timeout", &self.$($settings).+.timeout)
                    .finish_non_exhaustive()
            }
        }
    };
}
