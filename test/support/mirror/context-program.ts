import { land, requestOf } from './context-writer.ts';

/** A program that writes and pushes one file, for tests that kill it: `node … <source> <data folder> <content>`. */
const [source = '', dataDir = '', content = ''] = process.argv.slice(2);
const deps = { dataDir, allowHosts: ['127.0.0.1'] };
await land(requestOf(source, { gitDir: `${dataDir}/context/c.git`, deps }), { 'tracker/a.md': content });
