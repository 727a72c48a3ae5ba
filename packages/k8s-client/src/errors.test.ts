import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { k8sClientErrors } from './errors.ts'

test('the catalogue lists exactly the codes that the source code throws', () => {
  const root = import.meta.dirname
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('testing') && file !== 'errors.ts',
  )
  const thrown = new Set<string>()
  for (const file of sources) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [code] of text.matchAll(/BERTH_(?:API|KUBECONFIG|LEASE)_[A-Z_]+(?=')/g)) thrown.add(code)
  }
  expect(k8sClientErrors.map(({ code }) => code).toSorted()).toEqual([...thrown].toSorted())
  expect(k8sClientErrors.length).toBe(new Set(k8sClientErrors.map(({ code }) => code)).size)
})
