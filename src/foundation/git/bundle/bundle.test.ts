import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../../test/support/connectors/random.ts';
import { createRepository, type TestRepository } from '../../../../test/support/git/git-repository.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { resolveCommit } from '../objects/objects.ts';
import type { GitError } from '../process/git-error.ts';
import { mirrorTips, receiveBundle } from './receive-bundle.ts';
import { presentCommits, shallowCommits, writeBundle } from './write-bundle.ts';

const signal = new AbortController().signal;
const gitDirOf = (of: TestRepository): string => join(of.folder, '.git');

async function bundled(from: string, tips: readonly string[], have: readonly string[] = []) {
  const file = join(temporaryFolder(), 'bundle');
  writeFileSync(file, await buffer(writeBundle(from, { tips, have }, signal)));
  return file;
}

async function receive(gitDir: string, tip: string, bundle: string | undefined, shallow: string[] = []) {
  return receiveBundle({ gitDir, bundle, tips: [tip], shallow, signal });
}

/** Unpacks all objects and deletes this one. */
function loseObject(mirror: string, id: string): void {
  const packs = join(mirror, 'objects/pack');
  const packed = readdirSync(packs).filter((name) => name.endsWith('.pack'));
  const contents = packed.map((name) => readFileSync(join(packs, name)));
  for (const name of readdirSync(packs)) rmSync(join(packs, name), { force: true });
  for (const input of contents)
    execFileSync('git', [`--git-dir=${mirror}`, 'unpack-objects', '-q'], { input });
  rmSync(join(mirror, 'objects', id.slice(0, 2), id.slice(2)), { force: true });
}

const newMirror = (): string => join(temporaryFolder(), 'mirror.git');
const show = (gitDir: string, what: string): string =>
  execFileSync('git', [`--git-dir=${gitDir}`, 'show', what], { encoding: 'utf8' });

describe('a bundle', () => {
  it('is verified by Git itself', async () => {
    const source = createRepository({ 'a.txt': 'one\n' });
    const first = source.git('rev-parse', 'HEAD');
    const second = source.commit({ 'a.txt': 'two\n' });
    const file = await bundled(gitDirOf(source), [second], [first]);
    expect(source.git('bundle', 'verify', file)).toMatch(/requires this ref/);
    expect(source.git('bundle', 'list-heads', file)).toBe(`${second} refs/orgctx/tips/0`);
  });

  it('creates a mirror, and then updates it with only the new objects', async () => {
    const source = createRepository({ 'a.txt': 'one\n'.repeat(1000), 'b.txt': 'kept\n' });
    const first = source.git('rev-parse', 'HEAD');
    const mirror = newMirror();
    expect(await receive(mirror, first, await bundled(gitDirOf(source), [first]))).toBe('received');
    expect(await mirrorTips(mirror)).toEqual([first]);
    const second = source.commit({ 'a.txt': `${'one\n'.repeat(1000)}two\n` });
    const file = await bundled(gitDirOf(source), [second], await mirrorTips(mirror));
    expect(await receive(mirror, second, file)).toBe('received');
    expect(await resolveCommit(mirror, 'HEAD')).toBe(second);
    expect(show(mirror, `${second}:b.txt`)).toBe('kept\n');
    expect(show(mirror, `${first}:a.txt`)).toBe('one\n'.repeat(1000));
  });

  it('is not needed if everything is present, and an empty one changes nothing', async () => {
    const source = createRepository({ 'a.txt': 'one\n' });
    const first = source.git('rev-parse', 'HEAD');
    const second = source.commit({ 'a.txt': 'two\n' });
    const mirror = newMirror();
    await receive(mirror, second, await bundled(gitDirOf(source), [second]));
    expect(await receive(mirror, first, undefined)).toBe('received');
    expect(await mirrorTips(mirror)).toEqual([first]);
    expect(await receive(mirror, second, await bundled(gitDirOf(source), [second], [second]))).toBe(
      'received',
    );
    expect(await mirrorTips(mirror)).toEqual([second]);
  });

  it('that depends on missing commits changes nothing', async () => {
    const source = createRepository({ 'a.txt': 'one\n' });
    const first = source.git('rev-parse', 'HEAD');
    const second = source.commit({ 'a.txt': 'two\n' });
    const file = await bundled(gitDirOf(source), [second], [first]);
    const mirror = newMirror();
    expect(await receive(mirror, second, file)).toBe('lacking');
    expect(await receive(mirror, second, undefined)).toBe('lacking');
    const other = createRepository({ 'x.txt': 'x\n' });
    const tip = other.git('rev-parse', 'HEAD');
    await receive(mirror, tip, await bundled(gitDirOf(other), [tip]));
    expect(await receive(mirror, second, file)).toBe('lacking');
    expect(await mirrorTips(mirror)).toEqual([tip]);
  });

  it.each([
    ['garbage', () => Buffer.from('garbage')],
    ['a header without an end', () => Buffer.from(`# v2 git bundle\n${'a'.repeat(40)} x\n`.repeat(9_000))],
    ['a broken pack', (whole: Buffer) => Buffer.concat([whole.subarray(0, -30), Buffer.alloc(30)])],
    ['half a pack', (whole: Buffer) => whole.subarray(0, whole.length - 40)],
    ['a header alone', (whole: Buffer) => whole.subarray(0, whole.indexOf('\n\n') + 2)],
  ])('of %s is refused and changes nothing', async (kind, forge) => {
    const isBundle = kind.includes('pack') || kind === 'a header alone';
    const source = createRepository({ 'a.txt': 'one\n'.repeat(100) });
    const first = source.git('rev-parse', 'HEAD');
    const mirror = newMirror();
    await receive(mirror, first, await bundled(gitDirOf(source), [first]));
    const second = source.commit({ 'a.txt': 'two\n'.repeat(100) });
    const packs = readdirSync(join(mirror, 'objects/pack'));
    const outcomes = [];
    for (const have of [[], [first]]) {
      const whole = await buffer(writeBundle(gitDirOf(source), { tips: [second], have }, signal));
      const file = join(temporaryFolder(), 'forged');
      writeFileSync(file, forge(whole));
      outcomes.push(await receive(mirror, second, file).catch((error: GitError) => error.code));
    }
    // If it depends on the mirror, the mirror may be what is broken: then a complete bundle is requested.
    expect(outcomes).toEqual(['git_damaged', isBundle ? 'lacking' : 'git_damaged']);
    expect(await mirrorTips(mirror)).toEqual([first]);
    expect(readdirSync(join(mirror, 'objects/pack'))).toEqual(packs);
  });

  it('that is incomplete is refused and leaves no pack behind', async () => {
    const source = createRepository({ 'a.txt': 'one\n' });
    const first = source.git('rev-parse', 'HEAD');
    const second = source.commit({ 'a.txt': 'two\n' });
    const third = source.commit({ 'a.txt': 'three\n' });
    const mirror = newMirror();
    await receive(mirror, first, await bundled(gitDirOf(source), [first]));
    const packs = readdirSync(join(mirror, 'objects/pack'));
    // Declares the first commit as prerequisite and omits what the second added.
    const part = await buffer(writeBundle(gitDirOf(source), { tips: [third], have: [second] }, signal));
    const file = join(temporaryFolder(), 'partial');
    writeFileSync(file, Buffer.from(part.toString('latin1').replace(`-${second}`, `-${first}`), 'latin1'));
    expect(await receive(mirror, third, file)).toBe('lacking');
    expect(await mirrorTips(mirror)).toEqual([first]);
    expect(readdirSync(join(mirror, 'objects/pack'))).toEqual(packs);
  });

  it('for a mirror that lost an object is lacking, and a complete one rebuilds the mirror', async () => {
    const text = Array.from({ length: 5000 }, (_, line) => `line ${line * 7919}\n`).join('');
    const source = createRepository({ 'a.txt': text });
    const first = source.git('rev-parse', 'HEAD');
    const mirror = newMirror();
    await receive(mirror, first, await bundled(gitDirOf(source), [first]));
    loseObject(mirror, source.git('rev-parse', 'HEAD:a.txt'));
    const second = source.commit({ 'a.txt': `${text}more\n` });
    // It is sent as a delta of the lost object.
    const thin = await bundled(gitDirOf(source), [second], [first]);
    expect(await receive(mirror, second, thin)).toBe('lacking');
    expect(await mirrorTips(mirror)).toEqual([first]);
    expect(await receive(mirror, second, await bundled(gitDirOf(source), [second]))).toBe('received');
    expect(show(mirror, `${second}:a.txt`)).toBe(`${text}more\n`);
  });

  it('for an unreadable mirror is lacking, with or without new commits', async () => {
    const source = createRepository({ 'a.txt': 'one\n' });
    const first = source.git('rev-parse', 'HEAD');
    const mirror = newMirror();
    await receive(mirror, first, await bundled(gitDirOf(source), [first]));
    writeFileSync(join(mirror, 'HEAD'), 'damaged');
    const second = source.commit({ 'a.txt': 'two\n' });
    expect(await receive(mirror, second, await bundled(gitDirOf(source), [second], [first]))).toBe('lacking');
    expect(await receive(mirror, first, undefined)).toBe('lacking');
    expect(await receive(mirror, second, await bundled(gitDirOf(source), [second]))).toBe('received');
  });

  it('that is refused does not change the shallow commits of the mirror', async () => {
    const source = createRepository({ 'a.txt': 'one\n' });
    source.commit({ 'a.txt': 'two\n' });
    const clone = join(temporaryFolder(), 'shallow.git');
    source.git('clone', '--quiet', '--bare', '--depth=1', `file://${source.folder}`, clone);
    const second = source.git('rev-parse', 'HEAD');
    const [shallow, deep] = [newMirror(), newMirror()];
    await receive(shallow, second, await bundled(clone, [second]), [second]);
    await receive(deep, second, await bundled(gitDirOf(source), [second]));
    const third = source.commit({ 'a.txt': 'three\n' });
    const forged = join(temporaryFolder(), 'forged');
    const fourth = source.commit({ 'a.txt': 'four\n' });
    // Declares the second commit as prerequisite and omits what the third added.
    const part = await buffer(writeBundle(gitDirOf(source), { tips: [fourth], have: [third] }, signal));
    writeFileSync(forged, Buffer.from(part.toString('latin1').replace(`-${third}`, `-${second}`), 'latin1'));
    for (const mirror of [shallow, deep]) {
      const before = await shallowCommits(mirror);
      expect(await receive(mirror, fourth, forged, ['f'.repeat(40)])).toBe('lacking');
      expect(await shallowCommits(mirror)).toEqual(before);
      const garbled = join(temporaryFolder(), 'garbled');
      writeFileSync(garbled, readFileSync(forged).subarray(0, -30));
      expect(await receive(mirror, fourth, garbled, ['f'.repeat(40)])).toBe('lacking');
      expect(await shallowCommits(mirror)).toEqual(before);
      expect(readdirSync(mirror).filter((name) => name.startsWith('shallow.'))).toEqual([]);
    }
  });

  it('with ref names that lead out of the repository writes none of them', async () => {
    const source = createRepository({ 'a.txt': 'one\n' });
    const first = source.git('rev-parse', 'HEAD');
    const whole = await buffer(writeBundle(gitDirOf(source), { tips: [first], have: [] }, signal));
    const file = join(temporaryFolder(), 'forged');
    const forged = whole.toString('latin1').replace('refs/orgctx/tips/0', '../../hooks/post-receive');
    writeFileSync(file, Buffer.from(forged, 'latin1'));
    const mirror = newMirror();
    await receive(mirror, first, file).catch(() => undefined);
    const made = await mirrorTips(mirror);
    expect(made.length === 0 || made[0] === first).toBe(true);
    expect(readdirSync(join(mirror, '..'))).not.toContain('hooks');
    expect(made.length === 0 || !readdirSync(mirror).includes('hooks')).toBe(true);
  });

  it('above the size limit of a mirror is refused', async () => {
    const noise = createRandom(1);
    const source = createRepository({
      'a.bin': Buffer.from(Array.from({ length: 50_000 }, () => noise.below(256))),
    });
    const tip = source.git('rev-parse', 'HEAD');
    const bundle = await bundled(gitDirOf(source), [tip]);
    const limits = { maxBytes: 10_000, stallMs: 1_000, totalMs: 60_000 };
    const request = { gitDir: newMirror(), bundle, tips: [tip], shallow: [], limits, signal } as const;
    await expect(receiveBundle(request)).rejects.toMatchObject({ code: 'git_too_large' });
  });

  it("of a shallow clone is accepted up to the clone's depth", async () => {
    const origin = createRepository({ 'a.txt': 'one\n' });
    origin.commit({ 'a.txt': 'two\n' });
    const clone = join(temporaryFolder(), 'shallow.git');
    origin.git('clone', '--quiet', '--bare', '--depth=1', `file://${origin.folder}`, clone);
    const tip = origin.git('rev-parse', 'HEAD');
    const shallow = await shallowCommits(clone);
    expect(shallow).toEqual([tip]);
    const mirror = newMirror();
    expect(await receive(mirror, tip, await bundled(clone, [tip]), [...shallow])).toBe('received');
    expect(show(mirror, `${tip}:a.txt`)).toBe('two\n');
  });

  it('of SHA-256 commits creates a SHA-256 mirror', async () => {
    const folder = temporaryFolder();
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
        cwd: folder,
        encoding: 'utf8',
      }).trim();
    git('init', '--quiet', '--object-format=sha256');
    git('commit', '--quiet', '--allow-empty', '--message', 'Start');
    const tip = git('rev-parse', 'HEAD');
    const mirror = newMirror();
    expect(await receive(mirror, tip, await bundled(join(folder, '.git'), [tip]))).toBe('received');
    expect(await mirrorTips(mirror)).toEqual([tip]);
  });
});

it('finds which commits are present', async () => {
  const source = createRepository({ 'a.txt': 'one\n' });
  const tip = source.git('rev-parse', 'HEAD');
  const absent = 'f'.repeat(40);
  expect(await presentCommits(gitDirOf(source), [absent, tip], signal)).toEqual([tip]);
  await expect(presentCommits(gitDirOf(source), ['HEAD'], signal)).rejects.toMatchObject({
    code: 'git_failed',
  });
});
