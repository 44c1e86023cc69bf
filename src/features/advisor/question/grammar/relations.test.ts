import { describe, expect, it } from 'vitest';
import { usedObject, useVerbOf } from './relations.ts';

describe('usedObject', () => {
  it.each([
    ['who calls joinPath inside the library?', 'joinPath'],
    ['what depends on isOpen?', 'isOpen'],
    ['Which of the built-in writers wrap the stream in a BodyProxy?', 'BodyProxy'],
    ['where is the code that calls joinPath?', 'joinPath'],
    ['Where does the cache get used?', 'cache'],
    ['does anything still use parse_query?', 'parse_query'],
    ['tell me who calls createRequest', 'createRequest'],
    ['list all callers of Lease.renew', 'Lease.renew'],
    ['How many places call flush_buffer?', 'flush_buffer'],
    ['where do we use maxSize', 'maxSize'],
    ['is there anything in the library that still relies on load_object?', 'load_object'],
    ['Which extensions listen to session_closed?', 'session_closed'],
    ['What code paths lead to handleRequest?', 'handleRequest'],
    ['What in the library wraps the stream with newWriter?', 'newWriter'],
    ['What triggers handleRequest?', 'handleRequest'],
    ['Are there other implementations of the Router interface?', 'Router'],
    ['what uses the connection pool?', 'connection'],
  ])('%s', (asked, first) => {
    expect(usedObject(asked)?.[0]).toBe(first);
  });

  it.each([
    'Which of the bundled filters do I use to check tokens on posts?',
    'What is the lease used for?',
    'Which functions are called by handleRequest?',
    'what does handleRequest call?',
    'If two files refer to one name, how does it decide which one is imported?',
    'What limits the size in parse_form?',
    'What options parseArgs takes?',
    'Which change introduced parse_accept?',
    'Which release ships parse_accept?',
    'how do we use joinPath?',
  ])('asks for no uses: %s', (asked) => {
    expect(usedObject(asked)).toBeUndefined();
  });
});

describe('useVerbOf', () => {
  it('reads the verb whose object the name is', () => {
    expect(useVerbOf('Where do we validate max_size?', 'max_size')).toBe('check');
    expect(useVerbOf('Which header is set if max_size is read?', 'max_size')).toBeUndefined();
    expect(useVerbOf('Does it matter whether max_size is set?', 'max_size')).toBeUndefined();
  });
});
