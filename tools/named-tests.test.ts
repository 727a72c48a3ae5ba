import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const clientTests = 'packages/k8s-client/test'

/** A test that a page names; `…` in its title stands for the parameter of a table test. */
interface NamedTest {
  readonly file: string
  readonly title: string
}

/** Finds the tests that a page names, written as `file.test.ts`: "title"; "title". */
function namedTests(page: string): readonly NamedTest[] {
  return [...page.matchAll(/`([\w./-]+\.test\.ts)`:((?:[;\s]*"[^"]+"(?: \([^)]*\))?)+)/g)].flatMap(
    ([, file = '', titles = '']) =>
      [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ file, title: title.replaceAll(/\s+/g, ' ') })),
  )
}

function exists({ file, title }: NamedTest): boolean {
  const path = join(root, file.includes('/') ? file : join(clientTests, file))
  if (!existsSync(path)) return false
  const source = readFileSync(path, 'utf8')
  return title.split('…').every((part) => source.includes(part.trim()))
}

test.for([
  { page: 'docs/client-failures.md', count: 100 },
  { page: 'SECURITY.md', count: 30 },
])('the tests that $page names exist', ({ page, count }) => {
  const named = namedTests(readFileSync(join(root, page), 'utf8'))
  expect(named.length).toBeGreaterThan(count)
  expect(named.filter((entry) => !exists(entry))).toEqual([])
})

test('each promise of SECURITY.md names a test', () => {
  const text = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  const [, section = ''] = /\n## What Berth assumes and promises\n(.*?)\n## /s.exec(text) ?? []
  const promises = section.split('\n- ').slice(1)
  expect(promises.length).toBeGreaterThan(10)
  const unproven = promises.filter((promise) => namedTests(promise).length === 0)
  expect(unproven.map((promise) => promise.split('\n', 1)[0])).toEqual([])
})

test('a test that does not exist is noticed', () => {
  const named = namedTests(
    '- `client.test.ts`: "429 waits as long\n  as …"; "no such title" (twice)\n- `none.test.ts`: "x"',
  )
  expect(named).toHaveLength(3)
  expect(named.map((entry) => exists(entry))).toEqual([true, false, false])
})
