import { describe, expect, it } from 'vitest';
import { recordTypeAt } from '../../../../test/support/mirror/records.ts';
import { assetPath } from './safe-name.ts';

const asset = { sha256: '0123456789abcdef'.repeat(4), name: 'Screen Shot', extension: 'md' };

describe('assetPath', () => {
  it.each([
    ['tracker/issues/ENG/ENG-1.md', 'tracker/issues/ENG/assets/ENG-1'],
    ['tracker/documents/ab12.md', 'tracker/documents/assets/ab12'],
    ['tracker/projects/ab12/project.md', 'tracker/projects/ab12/assets/project'],
    ['tracker/projects/ab12/updates/2025-01-01-x.md', 'tracker/projects/ab12/updates/assets/2025-01-01-x'],
    ['oncall/incidents/2025/01/Q1.md', 'oncall/incidents/2025/01/assets/Q1'],
  ])('lies in the folder assets beside %s, and is no record', (record, folder) => {
    const path = assetPath(record, asset);
    expect(path).toMatch(new RegExp(`^${folder}/0123456789abcdef-screen-shot-[\\da-f]{8}\\.md$`, 'u'));
    expect(recordTypeAt(path)).toBeUndefined();
  });
});
