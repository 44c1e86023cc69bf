import { describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../test/support/http/http-server.ts';

describe('the OpenAPI description', async () => {
  const http = await useTestHttp();

  it('has no pattern with a Unicode property, which the engines of Python and other generators refuse', async () => {
    const { body } = await http.server.inject('/openapi.json');
    const patterns = [...body.matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(([, pattern]) => pattern);
    expect(patterns.length).toBeGreaterThan(0);
    expect(patterns.filter((pattern) => /\\[pP]\{/.test(pattern ?? ''))).toEqual([]);
  });
});
