import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programs } from '../run-bundle.ts'

/** The bundles that run in a cluster for as long as it exists. */
const servers = ['advertiser', 'authority', 'device-plugin', 'extender', 'scheduler'] as const

test.for(servers)('the bundle of %s is ASCII, so that Node keeps one byte for each character', (name) => {
  const text = readFileSync(join(import.meta.dirname, '../../..', programs[name][0]), 'latin1')
  expect(text.match(/.{0,40}\P{ASCII}+/gu) ?? []).toEqual([])
})
