import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostTree, unpackedTree } from './host-tree.ts'

async function fixture(text: string): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'fixture-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  await writeFile(join(dir, 'machine.tree'), text)
  return join(dir, 'machine.tree')
}
const text = String.raw`# constructed: a test
/sys/a/uevent = A=1\nB=2
/sys/b -> a
/dev/x
`

test('writes files, links and nodes, and changes them', async () => {
  using tree = hostTree(await fixture(text))
  expect(await readFile(join(tree.root, 'sys/b/uevent'), 'utf8')).toBe('A=1\nB=2\n')
  expect(await readFile(join(tree.root, 'dev/x'), 'utf8')).toBe('')
  tree.add('/sys/b -> .\n/sys/a/uevent = C')
  expect(await readFile(join(tree.root, 'sys/b/a/uevent'), 'utf8')).toBe('C\n')
  tree.remove('/sys/a')
  await expect(readFile(join(tree.root, 'sys/b/a/uevent'))).rejects.toThrow('ENOENT')
})

test('unpacks equal fixtures once', async () => {
  const root = unpackedTree(await fixture(text))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  expect(unpackedTree(await fixture(text))).toBe(root)
  expect(await readFile(join(root, 'sys/b/uevent'), 'utf8')).toBe('A=1\nB=2\n')
})

test.for([
  { it: 'an origin', text: '/sys/a = 1', says: 'must begin with "# recorded: WHERE"' },
  { it: 'an absolute path', text: '# recorded: here\nsys/a = 1', says: 'invalid line in a tree: sys/a = 1' },
])('refuses a fixture without $it', async ({ text: wrong, says }) => {
  const file = await fixture(wrong)
  expect(() => hostTree(file)).toThrow(says)
})
