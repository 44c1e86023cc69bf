import type { Neo4jClient } from './neo4j-client.ts';

/**
 * The nodes of the graph are `GraphNode`, their edges relationships with the kind as type, and what was applied of each
 * organization is one `GraphState`. The community edition has one database, so the organization is part of each key.
 */
const statements = [
  'CREATE CONSTRAINT graph_state IF NOT EXISTS FOR (s:GraphState) REQUIRE s.org IS UNIQUE',
  'CREATE CONSTRAINT graph_node_key IF NOT EXISTS FOR (n:GraphNode) REQUIRE (n.org, n.key) IS UNIQUE',
  'CREATE CONSTRAINT graph_node_id IF NOT EXISTS FOR (n:GraphNode) REQUIRE (n.org, n.id) IS UNIQUE',
  'CREATE INDEX graph_node_name IF NOT EXISTS FOR (n:GraphNode) ON (n.org, n.kind, n.folded)',
  `CREATE FULLTEXT INDEX graph_node_terms IF NOT EXISTS FOR (n:GraphNode) ON EACH [n.terms]
    OPTIONS { indexConfig: { \`fulltext.analyzer\`: 'whitespace' } }`,
];

/** Creates what is missing, in one transaction for each statement, as Neo4j requires. */
export async function createNeo4jSchema(client: Neo4jClient): Promise<void> {
  for (const statement of statements) await client.write((run) => run(statement));
  await client.write((run) => run('CALL db.awaitIndexes(30)'));
}
