import { afterAll, describe, expect, it } from 'vitest';
import { type Files, openResolving } from '../../../../../test/support/graph/resolving.ts';

const { resolve, close } = openResolving();
afterAll(close);

/** Returns what the calls of a name in the first file mean. */
async function callsOf(name: string, files: Files): Promise<string[]> {
  const lines = await resolve(files);
  return lines.filter((line) => line.startsWith(`call ${name} `));
}

describe('the package of Scala', () => {
  const clauses = {
    'A.scala': 'package acme\npackage room\n\nclass A {\n  def run() = { open(); Door() }\n}\n',
    'B.scala': 'package acme.room\n\ndef open() = 1\n',
    'C.scala': 'package acme\n\nobject Door\n',
    'D.scala': 'package acme\npackage hall\n\ndef open() = 2\n',
  };

  it('has the names of all its clauses', async () => {
    expect(await callsOf('open', clauses)).toEqual(['call open -> B.scala#open 60 same_package']);
  });

  it('sees the packages around it', async () => {
    expect(await callsOf('Door', clauses)).toEqual(['call Door -> C.scala#Door 60 same_package']);
  });
});
