import { parentPort, workerData } from 'node:worker_threads';
import { lowerPriority } from '../../../foundation/kernel/lower-priority.ts';
import type { SourceText } from '../outline.ts';
import { extractFile } from './extract-file.ts';
import { onLines } from './on-lines.ts';
import { openParsers } from './open-parsers.ts';
import type { FromParseThread, ParseThreadData } from './parse-task.ts';

/*
 * Entry point of the thread that parses files, one at a time and with low priority. Any error ends the thread, because
 * a grammar that failed may have damaged the memory that all grammars share.
 */
lowerPriority();

const { maxPages, maxMatches } = workerData as ParseThreadData;
const parserOf = openParsers(maxPages);

parentPort?.on('message', ({ language, text }: SourceText) => {
  void (async () => {
    const opened = await (await parserOf)(language);
    send('started');
    const started = process.threadCpuUsage();
    const code = opened.language.codeIn?.(text) ?? { text };
    const tree = opened.parser.parse(code.text);
    if (tree === null) throw new Error(`the parser of ${language} returned no tree`);
    try {
      const extracted = onLines(code, extractFile(opened, tree, code.text, maxMatches));
      const { user, system } = process.threadCpuUsage(started);
      send({ extracted, usedMs: (user + system) / 1000 });
    } finally {
      tree.delete();
    }
  })();
});

function send(message: FromParseThread): void {
  parentPort?.postMessage(message, []);
}
