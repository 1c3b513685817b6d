//! Documents, and functions that build and call their tools.

use genkit::message::ToolRequest;
use genkit::serde_json::{Value, json};
use genkit::{Registry, Tool};
use genkit_openapi::{OpenApi, OpenApiTools, reqwest, tools_from_openapi};

/// A document of OpenAPI 3.0, in YAML.
pub const SHOP: &str = r##"
openapi: 3.0.3
info: {title: Shop, version: "1"}
servers:
  - url: https://{region}.shop.example/v2
    variables: {region: {default: eu}}
paths:
  /pets:
    parameters:
      - {name: X-Request-ID, in: header, schema: {type: string}}
    get:
      operationId: listPets
      tags: [pets, read]
      summary: Lists pets.
      description: The newest come first.
      parameters:
        - name: limit
          in: query
          description: How many.
          schema: {type: integer, minimum: 0, exclusiveMinimum: true, maximum: 100}
        - {name: tag, in: query, style: form, explode: false, schema: {type: array, items: {type: string}}}
        - {name: filter, in: query, style: deepObject, explode: true, schema: {type: object}}
        - {name: api_key, in: query, schema: {type: string}}
      responses:
        "200":
          description: Pets.
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}
    post:
      operationId: add pet!
      tags: [pets]
      requestBody:
        required: true
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Pet"}
      responses: {"201": {description: Made.}}
  /pets/{petId}:
    parameters:
      - {$ref: "#/components/parameters/petId"}
    get:
      operationId: getPet
      tags: [pets, read]
      responses: {"200": {description: A pet.}}
    put:
      operationId: replacePet
      requestBody:
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {name: {type: string}, tags: {type: array, items: {type: string}}}}
      responses: {"204": {description: Replaced.}}
    delete:
      deprecated: true
      responses: {"204": {description: Gone.}}
  /photos:
    post:
      operationId: addPhoto
      requestBody:
        required: true
        content: {multipart/form-data: {schema: {type: object}}}
      responses: {"201": {description: Made.}}
components:
  parameters:
    petId: {name: petId, in: path, required: true, description: Which pet., schema: {type: string}}
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, nullable: true, example: Rex}
        parent: {$ref: "#/components/schemas/Pet"}
"##;

/// Returns a document of OpenAPI 3.1, as a value.
pub fn library() -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {"title": "Library", "version": "1"},
        "paths": {
            "/shelves/{id}/books": {
                "post": {
                    "operationId": "putBook",
                    "parameters": [
                        {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
                        {"name": "id", "in": "query", "schema": {"type": ["string", "null"]}},
                        {"name": "body", "in": "query", "schema": {"type": "string"}},
                        {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                        {"name": "where", "in": "query", "content": {"application/json": {"schema": {"type": "object"}}}}
                    ],
                    "requestBody": {"content": {"application/vnd.library+json": {"schema": {
                        "$ref": "#/components/schemas/Book", "description": "The book."
                    }}}},
                    "responses": {"200": {"description": "It.", "content": {"application/json": {"schema": {
                        "type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]
                    }}}}}
                }
            },
            "/notes": {"post": {
                "operationId": "note",
                "requestBody": {"required": true, "content": {"text/plain": {}}},
                "responses": {}
            }}
        },
        "components": {"schemas": {
            "Book": {"type": "object", "properties": {
                "title": {"type": "string", "const": "Emma"},
                "author": {"$ref": "#/components/schemas/Author", "description": "Who wrote it."}
            }, "required": ["title"], "unevaluatedProperties": false},
            "Author": {"type": "object", "properties": {"books": {
                "type": "array", "items": {"$ref": "#/components/schemas/Book"}
            }}}
        }}
    })
}

pub fn shop(url: &str) -> OpenApi {
    tools_from_openapi(SHOP, reqwest::Client::builder()).base_url(url)
}

pub fn library_at(url: &str) -> OpenApi {
    tools_from_openapi(library(), reqwest::Client::builder()).base_url(url)
}

/// Returns a document of version 3.1 with these paths.
pub fn document(paths: Value) -> Value {
    json!({"openapi": "3.1.0", "paths": paths})
}

/// Returns the tools for these paths.
pub fn tools_of(paths: Value) -> OpenApiTools {
    tools_from_openapi(document(paths), reqwest::Client::builder())
        .base_url("http://127.0.0.1:9")
        .build()
        .unwrap()
}

pub fn tool(tools: OpenApiTools, name: &str) -> Tool {
    Registry::new().add(tools).tool(name).unwrap_or_else(|| panic!("no tool {name}"))
}

/// Calls a tool, and returns what a model would receive: the output or the error.
pub async fn call(tool: &Tool, arguments: Value) -> Result<Value, String> {
    let request = ToolRequest::new(tool.name(), arguments);
    let response = tool.call(&request).await.unwrap().into_response().unwrap();
    match response.error() {
        Some(error) => Err(error.to_owned()),
        None => Ok(response.output.clone()),
    }
}
