//! The resources and templates of `server-everything`.

use genkit::Part;
use genkit::testing::ScriptedModel;

use super::{Everything, TRANSPORTS};

#[tokio::test]
async fn documents_and_templates() {
    for transport in TRANSPORTS {
        let server = Everything::start("resources", transport);
        let host = server.host().await;
        let resources = host.resources().await.unwrap();
        let (templates, documents): (Vec<_>, Vec<_>) =
            resources.iter().partition(|resource| resource.is_template());
        let templates: Vec<_> = templates.iter().map(|template| template.uri()).collect();
        let wanted = [
            "demo://resource/dynamic/text/{resourceId}",
            "demo://resource/dynamic/blob/{resourceId}",
        ];
        assert_eq!(templates, wanted);
        assert_eq!(documents.len(), 7, "{documents:?}");
        for document in documents {
            assert_eq!(document.mime_type(), Some("text/markdown"));
            let read = host.read_resource(document.uri()).await.unwrap();
            assert_eq!(read[0].uri(), Some(document.uri()));
            assert!(read[0].as_text().unwrap().starts_with("# "), "{read:?}");
        }
        let text = host.read_resource("demo://resource/dynamic/text/3").await.unwrap();
        let text = text[0].as_text().unwrap();
        assert!(text.starts_with("Resource 3: This is a plaintext resource"), "{text}");
        let blob = host.read_resource("demo://resource/dynamic/blob/3").await.unwrap();
        assert_eq!(blob[0].as_text(), None);
        assert!(blob[0].as_bytes().starts_with(b"Resource 3: This is a base64 blob"), "{blob:?}");

        let error = host.read_resource("demo://resource/dynamic/text/zero").await.unwrap_err();
        assert!(error.to_string().contains("text/zero"), "{error}");
        let error = host.read_resource("demo://nowhere").await.unwrap_err();
        assert!(error.to_string().contains("demo://nowhere"), "{error}");
        server.end(host).await;
    }
}

#[tokio::test]
async fn linked_resource_is_added_to_the_request() {
    let server = Everything::start("linked", TRANSPORTS[0]);
    let host = server.host().await;
    let model = ScriptedModel::text("Read.");
    let link = Part::resource_link("demo://resource/dynamic/text/9");
    genkit::generate([Part::text("Sum up: "), link])
        .model(model.clone())
        .resources(host.resources())
        .await
        .unwrap();
    let asked = model.requests()[0].messages[0].text();
    assert!(asked.starts_with("Sum up: Resource 9: This is a plaintext resource"), "{asked}");
    server.end(host).await;
}
