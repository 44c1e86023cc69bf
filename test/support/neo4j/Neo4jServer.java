import java.nio.file.Path;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.harness.Neo4jBuilders;

/**
 * Runs an empty Neo4j without authentication until its standard input closes. Arguments: port, folder for its data,
 * and whether every write fails (true or false). Prints `ready` when it accepts connections.
 */
public class Neo4jServer {
  public static void main(String[] args) throws Exception {
    var address = new SocketAddress("127.0.0.1", Integer.parseInt(args[0]));
    try (var neo4j =
        Neo4jBuilders.newInProcessBuilder(Path.of(args[1]))
            .withDisabledServer()
            .withConfig(BoltConnector.listen_address, address)
            .withConfig(BoltConnector.advertised_address, address)
            .withConfig(GraphDatabaseSettings.read_only_database_default, Boolean.parseBoolean(args[2]))
            .build()) {
      System.out.println("ready");
      while (System.in.read() != -1) {}
    }
  }
}
