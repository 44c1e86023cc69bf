import { expect, it } from 'vitest';
import { sniffType } from './sniff-type.ts';

const typeOf = (content: string | Buffer, extension = '') =>
  sniffType(Buffer.from(content as string, 'latin1'), extension)?.extension;

it('is decided by the content, not by the name', () => {
  expect(typeOf('\u0089PNG\r\n\u001a\n...', 'exe')).toBe('png');
  expect(typeOf('\u00ff\u00d8\u00ff...', 'html')).toBe('jpg');
  expect(typeOf('RIFF....WEBPVP8')).toBe('webp');
  expect(typeOf('%PDF-1.7', 'png')).toBe('pdf');
  expect(typeOf('\0\0\0\u0018ftypisom')).toBe('mp4');
  expect(typeOf('\0\u0001\u0002', 'png')).toBe('bin');
});

it('tells apart documents that are archives, and texts, by their name', () => {
  expect(typeOf('PK\u0003\u0004', 'docx')).toBe('docx');
  expect(typeOf('PK\u0003\u0004', 'exe')).toBe('zip');
  expect(typeOf('a,b\n1,2\n', 'csv')).toBe('csv');
  expect(typeOf('alert(1)', 'js')).toBe('txt');
  expect(typeOf('')).toBe('txt');
});

it('is undefined for what a browser runs', () => {
  const pages = [
    '<!doctype html><title>Log in</title>',
    '\n <HTML>',
    '<svg xmlns="http://www.w3.org/2000/svg">',
    '<?xml version="1.0"?><svg/>',
    'a <script>alert(1)</script>',
  ];
  for (const page of pages) expect(typeOf(page, 'png')).toBeUndefined();
});
