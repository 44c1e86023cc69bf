import { describe, expect, it } from 'vitest';
import { isLoopback } from './loopback.ts';

describe('a loopback host', () => {
  it.each([
    'http://localhost',
    'http://app.localhost',
    'http://127.0.0.1',
    'http://127.9.1.2',
    'http://[::1]:80',
  ])('%s is this machine', (url) => {
    expect(isLoopback(new URL(url).hostname)).toBe(true);
  });

  it.each([
    'http://localhost.example.com',
    'http://notlocalhost',
    'http://127.example.com',
    'http://127.0.0.1.example.com',
    'http://128.0.0.1',
    'http://[::2]',
  ])('%s may be another', (url) => {
    expect(isLoopback(new URL(url).hostname)).toBe(false);
  });
});
