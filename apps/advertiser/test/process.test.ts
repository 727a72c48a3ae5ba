import { systemClock } from '@berth/clock'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { callJson } from '@berth/simulator/testing'
import type { Node } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const name = 'example.com/dongle'
const main = join(import.meta.dirname, '../src/main.ts')
const waitOptions = { timeout: 90_000, interval: 50 }
let dir = ''
let cluster: EmbeddedCluster

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'berth-advertiser-'))
  cluster = await startEmbeddedCluster({ nodes: 2, clock: systemClock(), random: Math.random, serve: {} })
  await writeFile(join(dir, 'kubeconfig'), cluster.served?.kubeconfig() ?? '')
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

const args = (...more: readonly string[]): string[] => [
  '-C',
  '@berth/source',
  main,
  '--kubeconfig',
  join(dir, 'kubeconfig'),
  ...more,
]
const configure = (units: number): Promise<void> =>
  writeFile(join(dir, 'config.yaml'), `resources:\n  - {name: ${name}, units: ${units}, nodes: {names: [node-1]}}\n`)

function run(...more: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args(...more), (error, out, err) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, out, err })
    })
  })
}

async function statusOf(node: string): Promise<unknown> {
  const answer = await callJson(cluster.handle, 'GET', `/api/v1/nodes/${node}`)
  const body = answer.body as Node
  return {
    annotations: body.metadata.annotations ?? {},
    capacity: body.status?.capacity,
    allocatable: body.status?.allocatable,
  }
}

// Generous timeout: each process compiles its sources first.
describe('the advertiser as a process', { timeout: 300_000 }, () => {
  test('reconciles, reloads its configuration, stops on SIGTERM, and leaves no trace after prune', async () => {
    const before = await statusOf('node-1')
    await configure(4)
    const child = spawn(process.execPath, args('--config', join(dir, 'config.yaml'), '--health-address', '127.0.0.1:0'))
    let log = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (log += text))
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
    try {
      await vi.waitFor(
        async () => expect(await statusOf('node-1')).toMatchObject({ allocatable: { [name]: '4' } }),
        waitOptions,
      )
      const address = await vi.waitFor(() => {
        const line = log.split('\n').find((text) => text.includes('Serving health'))
        return (JSON.parse(line ?? '') as { address: string }).address
      }, waitOptions)
      await vi.waitFor(async () => expect((await fetch(`http://${address}/readyz`)).status).toBe(200), waitOptions)
      expect(await (await fetch(`http://${address}/metrics`)).text()).toContain(
        `berth_advertiser_advertised_units{resource_name="${name}"} 4`,
      )
      await configure(6)
      await vi.waitFor(
        async () => expect(await statusOf('node-1')).toMatchObject({ capacity: { [name]: '6' } }),
        waitOptions,
      )
    } finally {
      child.kill('SIGTERM')
    }
    expect(await exited).toBe(0)
    expect(await statusOf('node-1')).toMatchObject({ allocatable: { [name]: '6' } })

    const pruned = await run('prune')
    expect(pruned).toMatchObject({ code: 0, out: '' })
    expect(await statusOf('node-1')).toEqual(before)
  })

  test('prints a plan on standard output, and writes once with --once', async () => {
    await configure(4)
    const plan = await run('plan', '--config', join(dir, 'config.yaml'))
    expect(plan).toMatchObject({ code: 1, out: `node-1:\n  ${name}: none -> 4\n1 of 2 nodes would be changed.\n` })
    const failed = await run('plan', '--config', join(dir, 'config.yaml'), '--kubeconfig', join(dir, 'none'))
    expect(failed).toMatchObject({ code: 2, err: expect.stringContaining('BERTH_KUBECONFIG_MISSING') })
    expect((await run('--once', '--config', join(dir, 'config.yaml'))).code).toBe(0)
    expect(await statusOf('node-1')).toMatchObject({ capacity: { [name]: '4' } })
  })

  test('writes what a source computes that was built for the previous version of the contract', async () => {
    const annotations = { 'example.com/seats': '7' }
    await callJson(cluster.handle, 'PATCH', '/api/v1/nodes/node-2', {
      body: { metadata: { annotations } },
      contentType: 'application/merge-patch+json',
    })
    const plugins = join(import.meta.dirname, '../../../packages/plugin-api/test/previous-version')
    const source = '{plugin: example-annotation, args: {annotation: example.com/seats}}'
    const resource = `{name: example.com/seat, source: ${source}, nodes: {names: [node-2]}}`
    await writeFile(join(dir, 'config.yaml'), `resources: [${resource}]\n`)
    const { code, err, out } = await run('--once', '--config', join(dir, 'config.yaml'), '--plugin-dir', plugins)
    expect([code, out, err]).toEqual([0, '', expect.stringContaining('Plugin of the previous contract version loaded')])
    expect(await statusOf('node-2')).toMatchObject({ allocatable: { 'example.com/seat': '7' } })
  })

  test('logs JSON by default where there is no terminal, and text with --log-format text', async () => {
    await configure(4)
    const once = ['--once', '--config', join(dir, 'config.yaml')]
    const [asJson, asText] = [await run(...once), await run(...once, '--log-format', 'text')]
    expect(asJson.err.split('\n')[0]).toMatch(/^\{"level":/)
    expect(asText.err).toMatch(/^\S+Z INFO {2}advertiser: All nodes match the configuration nodes=2$/m)
  })

  test('evict runs beside the advertiser until it is stopped, and is refused without resources', async () => {
    expect(await run('evict')).toMatchObject({ code: 2, err: expect.stringContaining('eviction.resources is empty') })
    const eviction = `{resources: [${name}], lease: default/eviction}`
    const child = spawn(process.execPath, args('evict', '--eviction', eviction, '--health-address', '127.0.0.1:0'))
    let log = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (log += text))
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
    try {
      const address = await vi.waitFor(() => {
        const line = log.split('\n').find((text) => text.includes('Serving health'))
        return (JSON.parse(line ?? '') as { address: string }).address
      }, waitOptions)
      await vi.waitFor(async () => expect((await fetch(`http://${address}/readyz`)).status).toBe(200), waitOptions)
      const metrics = await (await fetch(`http://${address}/metrics`)).text()
      expect(metrics).toContain('berth_advertiser_unhealthy_device_pods 0')
      expect(metrics).not.toContain('berth_advertiser_advertised_units')
      const lease = await callJson(
        cluster.handle,
        'GET',
        '/apis/coordination.k8s.io/v1/namespaces/default/leases/eviction',
      )
      expect(lease.status).toBe(200)
    } finally {
      child.kill('SIGTERM')
    }
    expect(await exited).toBe(0)
  })

  test('exits with 2 for an invalid configuration and with 1 for a missing kubeconfig', async () => {
    await configure(-1)
    const refused = await run('--once', '--config', join(dir, 'config.yaml'))
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('resources[0].units') })
    const noNode = await run('--once', '--mode', 'node')
    expect(noNode).toMatchObject({ code: 2, err: expect.stringContaining('nodeName: mode node needs') })
    const lost = await run('prune', '--kubeconfig', join(dir, 'none'))
    expect(lost).toMatchObject({ code: 1, err: expect.stringContaining('BERTH_KUBECONFIG_MISSING') })
  })
})
