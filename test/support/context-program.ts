import { land, requestOf } from './context-writer.ts';

/** `node test/support/context-program.ts <source> <data folder> <content>`: writes one file and pushes it; to be killed. */
const [source = '', dataDir = '', content = ''] = process.argv.slice(2);
const deps = { dataDir, allowHosts: ['127.0.0.1'] };
await land(requestOf(source, { gitDir: `${dataDir}/context/c.git`, deps }), { 'tracker/a.md': content });
