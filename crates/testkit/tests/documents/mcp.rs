//! docs/mcp.md against the members of a request.

use mnemon_wire::RecallRequest;

use crate::{read, table_rows};

#[test]
fn every_member_of_a_request_is_in_a_table() {
    let text = read("docs/mcp.md");
    let (_, recall) = text.split_once("\n## recall\n").unwrap();
    let cells: String = table_rows(recall).concat().join(" ");
    let schema = RecallRequest::schema();
    for name in schema["properties"].as_object().unwrap().keys() {
        assert!(cells.contains(&format!("`{name}`")), "{name}");
    }
}
