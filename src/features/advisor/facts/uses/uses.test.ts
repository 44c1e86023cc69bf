import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  asking,
  type OpenedAdvisor,
  openAdvisor,
} from '../../../../../test/support/advisor/opened-advisor.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { ask } from '../../ask.ts';

const files = {
  'port/channel.py': `class Channel:
    sep = ':'
    depth = 1
    name = ''

    def key_of(self, queue, priority):
        return f"{queue}{self.sep}{priority}"

    def reset(self):
        self.depth = 0
        self.name = ''
        self.sep = ':'

    def open_gate(self, gate):
        def opener(path):
            return join_path(gate, path)
        return opener
`,
  'port/quota.py': `class SlowQuota:
    def messages_left(self):
        return 1


class FastQuota:
    def messages_left(self):
        return 9

    def copy(self):
        return FastQuota()

    def twice(self):
        return [self.copy(), self.copy()]


class CalmQuota:
    def copy(self):
        return CalmQuota()

    def both(self, quota):
        return [self.copy(), quota.copy()]
`,
  'port/worker.py': `from port.quota import FastQuota
from port.paths import join_path


class Worker(FastQuota):
    def pull(self, quota):
        sep = ' '
        return quota.messages_left()


def load(endpoint):
    path = join_path("a", endpoint)
    if path is None:
        raise ValueError(
            "No endpoint is known"
            f" by the name: {path}"
        )
    log.info("Loaded the endpoint of a pier: %s", path)
    return path
`,
  'port/pier.py': `class Pier:
    def __init__(self, depth):
        self.depth = depth


class Mole:
    def __init__(self):
        self.length = 1


def build_pier():
    return Pier(3)
`,
  'port/docks.py': `DOCK_A = "DOCK_B"
DOCK_B = "DOCK_A"
`,
  'port/gate.py': `SHUT = "The gate of the pier is shut"


def enter():
    raise Closed(SHUT)
`,
  'port/harbour.py': `import alien
from port.channel import Channel


def build():
    return Channel()


def foreign():
    return alien.Channel()
`,
  'port/paths.py': `def join_path(base, path):
    return base + path
`,
  'port/settings.py': `COMPONENTS = {"port.worker.Worker": 5}
`,
  'tests/test_worker.py': `from port.worker import Worker


def test_pull():
    Worker().pull(None).messages_left()
`,
  'docs/paths.md': '# Paths\n\nUse `join_path` to join two paths.\n',
};

let advisor: OpenedAdvisor;

beforeAll(async () => {
  advisor = await openAdvisor();
  await advisor.projecting.add(createRepository(files).folder);
});
afterAll(() => advisor.close());

const answerTo = async (prompt: string): Promise<string> =>
  (await ask(advisor.deps, advisor.projecting.scope, { prompt }, asking)).answer;

describe('an answer about uses', () => {
  it('names the functions around the calls, with those around them, the lines, and tests last', async () => {
    const answer = await answerTo('who calls join_path inside the library?');
    expect(answer).toMatch(
      /^`join_path` \(`port\/paths\.py:1`\) is called by `load` in `port\/worker\.py`\./,
    );
    // Another import may bind this name.
    expect(answer).toContain('- Possibly called by `Channel.open_gate.opener` (`port/channel.py:16`)');
    expect(answer).toMatch(
      /- `load` \(`port\/worker\.py:12`\) \[\d\]: `path = join_path\("a", endpoint\)`\./,
    );
  });

  it('calls a caller possible if several classes define the name', async () => {
    const answer = await answerTo('which classes actually call messages_left?');
    expect(answer).toMatch(
      /is possibly called by `Worker\.pull` in `port\/worker\.py`; also one place in tests\./,
    );
    expect(answer).toMatch(/- The name is also defined as `(?:Slow|Fast)Quota\.messages_left`/);
  });

  it('does not state what calls another definition of the name as a caller', async () => {
    const answer = await answerTo('what calls copy?');
    expect(answer).toMatch(/^`CalmQuota\.copy` .* is called by `CalmQuota\.both` in `port\/quota\.py`\.$/m);
    expect(answer).not.toContain('FastQuota.twice');
  });

  it('names each function that sets a field, and not its declaration without a value', async () => {
    const answer = await answerTo('Where is Channel.depth set?');
    expect(answer).toMatch(
      /Also set in `Channel\.reset` \(`port\/channel\.py:10`\) \[\d\]: `self\.depth = 0`/,
    );
  });

  it('finds the uses of a field in text, as a member', async () => {
    const answer = await answerTo(
      "I'd like to change the default `sep` of the channel. What would that affect?",
    );
    expect(answer).toMatch(/^A change of `Channel\.sep` .* touches `Channel\.key_of` and `Channel\.reset`/);
    expect(answer).not.toContain('Worker.pull');
  });

  it('names what handles the fields of a type one by one', async () => {
    const answer = await answerTo(
      "I'm adding a field to the Channel class. What else has to be kept in step?",
    );
    expect(answer).toMatch(
      /Its fields are handled one by one in `Channel\.reset` .*\(3 of 3\): a new one may/,
    );
  });

  it('tells what extends a class from its other uses', async () => {
    const answer = await answerTo('which classes subclass FastQuota?');
    expect(answer).toMatch(/^`FastQuota` \(\S+\) is extended by `Worker` in `port\/worker\.py`\./);
    expect(answer).toMatch(/: `class Worker\(FastQuota\):`/);
  });

  it('leaves out a type of another module with the same name', async () => {
    const answer = await answerTo('where is Channel used?');
    expect(answer).toContain('`build`');
    expect(answer).not.toContain('foreign');
  });

  it('finds a class that a setting names by its path', async () => {
    const answer = await answerTo('where is Worker used?');
    expect(answer).toContain('port/settings.py');
  });

  it('names the documents that a renaming touches', async () => {
    const answer = await answerTo('If I rename join_path, what would have to change?');
    expect(answer).toMatch(/- Documents that mention it: `docs\/paths\.md:3` \[\d\]\./);
  });

  it('does not follow constants that hold the names of each other', async () => {
    const answer = await answerTo('Where is DOCK_A read?');
    expect(answer).toContain('`DOCK_A` is the text of `DOCK_B`');
  }, 5_000);

  it('counts the calls of a class as those of its constructor', async () => {
    const answer = await answerTo('What would I break if I change the parameters of Pier.__init__?');
    expect(answer).toMatch(/^A change of `Pier` .*`build_pier`/);
    expect(answer).not.toContain('Mole');
  });

  it('says that a name of the question is in no code', async () => {
    const answer = await answerTo('If I rename join_gates, what would have to change?');
    expect(answer).toMatch(/Not found|No definition or use of `join_gates` was found/);
  });
});

describe('an answer to a quoted message', () => {
  it('has the statement, its condition and its values, also if the question only refers to it', async () => {
    const answer = await answerTo(
      'Startup dies with "No endpoint is known by the name: pier". Where is this raised?',
    );
    expect(answer).toMatch(
      /^This message comes from `load` .* at line 14: `raise ValueError\( "No endpoint is known"/,
    );
    expect(answer).not.toContain('Not found as written');
    expect(answer).toMatch(/That line is in the branch of line 13: `if path is None:`\./);
    expect(answer).toMatch(/- Its values: `path = join_path\("a", endpoint\)` \(line 12\)\./);
  });

  it('finds a message that is only logged', async () => {
    const answer = await answerTo('"Loaded the endpoint of a pier" is in the log. What writes it?');
    expect(answer).toMatch(/^This message comes from `load` .*: `log\.info\(/);
  });

  it('finds a message that a constant keeps', async () => {
    const answer = await answerTo('It says "The gate of the pier is shut". How am I supposed to fix that?');
    expect(answer).toMatch(/^The text “The gate of the pier is shut” is at `port\/gate\.py:1` in `SHUT`/);
    expect(answer).toMatch(/- That is (?:used|called) (?:at|by) .*`port\/gate\.py/);
  });

  it('does not take a command for a message', async () => {
    const answer = await answerTo('How does `port load` join two paths?');
    expect(answer).not.toMatch(/^(?:This message|The text)/);
  });
});
