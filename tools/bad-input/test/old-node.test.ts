import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const apps = join(import.meta.dirname, '..', '..', '..', 'apps')
/** Makes this Node report a version that is too old. */
const disguise = `data:text/javascript,${encodeURIComponent(
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`,
)}`

test.for([
  'advertiser/dist/main.js',
  'device-plugin/dist/main.cjs',
  'extender/dist/main.js',
  'kubectl-berth/dist/main.js',
  'kubectl-berth/dist/parts/main.js',
  'scheduler/dist/main.js',
])('%s on an old Node says which one it needs, and where there is one', (bundle) => {
  const args = ['--import', disguise, join(apps, bundle), '--help']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain('Berth needs Node 24 or newer; this is v')
  expect(stderr).toContain('npx -- node FILE')
})
