import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../http/free-port.ts';
import { killProcess } from '../kill/kill-process.ts';
import { projectRoot } from '../run/gates.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const source = join(import.meta.dirname, 'Neo4jServer.java');
const pom = join(import.meta.dirname, 'pom.xml');
/** Lists the libraries, which Maven downloads into its own folder of the user. */
const cache = join(projectRoot, 'node_modules', '.cache', 'orgctx-neo4j-5.26.0');

/** The class path of the server, or the reason why it cannot be started. */
export type Neo4jLibraries =
  | { readonly classPath: string; readonly missing?: undefined }
  | { readonly classPath?: undefined; readonly missing: string };

/**
 * Finds the libraries of Neo4j, which Maven downloads once (about 180 MB). Requires `java` and `javac` 17 or later, and
 * `mvn`; without them the suites over a real Neo4j are skipped with a warning.
 */
export async function findNeo4j(): Promise<Neo4jLibraries> {
  const file = join(cache, 'class-path');
  try {
    await promisify(execFile)('javac', ['-version']);
    if (!existsSync(file) || !readFileSync(file, 'utf8').split(':').every(existsSync)) {
      mkdirSync(cache, { recursive: true });
      const output = `${file}.${process.pid}`;
      const args = ['-B', '-q', '-f', pom, 'dependency:build-classpath', `-Dmdep.outputFile=${output}`];
      await promisify(execFile)('mvn', args, { timeout: 300_000 });
      await rename(output, file);
    }
    return { classPath: readFileSync(file, 'utf8') };
  } catch (error) {
    const missing = String(error).split('\n', 1)[0] ?? '';
    console.warn(`WARNING: every suite over a real Neo4j is SKIPPED: ${missing}`);
    return { missing };
  }
}

export interface RunningNeo4j {
  readonly uri: string;
  /** Kills the server, if it runs, and starts an empty one at the same address. */
  restart(): Promise<void>;
  kill(): Promise<void>;
  /** Stops the process without ending it: connections stay open and nothing answers. */
  freeze(): void;
  thaw(): void;
}

/** Starts an empty server without authentication. It ends when this process ends, even when that is killed. */
export async function startNeo4j(
  classPath: string,
  { readOnly = false }: { readonly readOnly?: boolean } = {},
): Promise<RunningNeo4j> {
  const port = await freePort();
  const start = async () => {
    const args = [
      '-Xmx1g',
      '-XX:+UseSerialGC',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      classPath,
      source,
      String(port),
      temporaryFolder(),
    ];
    const child = spawn('java', [...args, String(readOnly)], { stdio: ['pipe', 'pipe', 'pipe'] });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log = `${log}${chunk.toString()}`.slice(-8_192);
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`Neo4j did not start:\n${log}`);
    });
    ended.catch(() => {});
    await Promise.race([once(child.stdout, 'data'), ended]);
    return child;
  };
  let child = await start();
  return {
    uri: `bolt://127.0.0.1:${port}`,
    restart: async () => {
      await killProcess(child);
      child = await start();
    },
    kill: () => killProcess(child),
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
  };
}
