import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

test('every package of plugins/ is in one of the lists', () => {
  const list = ['index.ts', 'device-sources.ts', 'resource-sources.ts']
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('')
  const names = globSync('plugins/*/package.json', { cwd: root }).map((file) => {
    const { name } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { readonly name: string }
    return name
  })
  expect(names.length).toBeGreaterThan(6)
  expect(names.filter((name) => !list.includes(`'${name}'`))).toEqual([])
})
