// Loads the plugins in previous-version and runs each once, in a process of its own: see load-from-disk.ts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadPlugins, pluginKinds, type DecideContext, type Device, type Pod } from '@berth/plugin-api'
import { sampleCluster } from '@berth/plugin-api/testing'
import { silentLogger } from '@berth/types'

const warned: string[] = []
const log = { ...silentLogger, warn: (fields: object) => void warned.push((fields as { plugin: string }).plugin) }
const registry = await loadPlugins({
  dir: join(import.meta.dirname, 'previous-version'),
  kinds: pluginKinds,
  builtIn: [],
  log,
})
const clock = { now: () => 0, monotonic: () => 0, setTimer: () => ({ cancel: () => {} }) }
const env = { log: silentLogger, clock, random: () => 0, resourceName: 'example.com/seat' }
const { signal } = new AbortController()

const annotated = { metadata: { name: 'node-a', annotations: { seats: '5' } } }
const { units } = await registry
  .createResourceSource('example-annotation', { annotation: 'seats' }, env)
  .compute(annotated, signal)

const dir = mkdtempSync(join(tmpdir(), 'berth-seats-'))
writeFileSync(join(dir, 'seats'), 'line 1\nline 2\n')
const source = registry.createDeviceSource('example-seat-file', { file: join(dir, 'seats') }, env)
const devices: Device[] = []
for await (const inventory of source.discover(signal)) {
  devices.push(...inventory)
  break
}
const allocation = await source.allocate(
  devices.map(({ id }) => id),
  devices,
)
rmSync(dir, { recursive: true })

const podOfWeb = (name: string): Pod => ({ metadata: { name, labels: { app: 'web' } }, spec: { containers: [] } })
const cluster = sampleCluster([{ name: 'node-a', pods: [podOfWeb('web-1')] }])
const context: DecideContext = { cluster: cluster.reader, nowMs: 0, random: () => 0, state: new Map() }
const candidates = { rows: Int32Array.from(cluster.rows), count: 1 }
const reasons: string[] = []
const output = {
  codes: new Uint8Array(1),
  reject: (_i: number, _code: number, ...given: readonly string[]) => void reasons.push(...given),
}
registry.createScheduling('example-rack', {}, env).filter?.(podOfWeb('web-2'), candidates, output, context)

process.stdout.write(
  JSON.stringify({
    warned: warned.toSorted((a, b) => a.localeCompare(b)),
    units: String(units),
    devices: devices.map(({ health }) => health),
    env: allocation.env,
    reasons,
  }),
)
