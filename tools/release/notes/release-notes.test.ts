import { expect, test } from 'vitest'
import { releaseNotes } from './release-notes.ts'

const changelog = '# Changelog\n\n## Unreleased\n\n- new\n\n## [1.0.0] - 2026-01-01\n\n- old\n'

test.for([
  { version: '1.0.0', notes: '# Berth 1.0.0\n\n- old\n' },
  { version: '1.1.0', notes: '# Berth 1.1.0\n\n- new\n' },
])('the notes of $version are its section, or what is unreleased', ({ version, notes }) => {
  expect(releaseNotes(changelog, version)).toBe(notes)
})

test('there are no notes without a section', () => {
  expect(releaseNotes('# Changelog\n', '1.0.0')).toBe('')
})
