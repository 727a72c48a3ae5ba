import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { resourceRefs } from '@berth/k8s-client'
import { startProgram } from '@berth/process/testing'
import type { Pod } from '@berth/types'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startServedCluster } from './served-cluster.ts'

const programs = join(import.meta.dirname, '../..')
/** A plugin built for the previous version of the contract: pods of one app do not share a node. */
const rack = join(programs, '../packages/plugin-api/test/previous-version/scheduling.js')
const dongle = 'example.com/dongle'
const web = { namespace: 'default', name: 'web' }

const rule = `import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
import { z } from 'zod'
export const plugin = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'quiet', description: 'Rejects noisy nodes.', argsSchema: z.strictObject({ limit: z.int() }),
  create: ({ limit }) => perNode({
    filter: (pod, { name, node }) =>
      Number(node.metadata.labels.noise) > limit ? name + ' is louder than ' + limit : undefined,
  }),
})
`
const quiet = { name: 'quiet', args: { limit: 5 } }
const profiles = [
  {
    schedulerName: 'berth-scheduler',
    plugins: { multiPoint: { enabled: [{ name: 'quiet' }, { name: 'example-rack' }] } },
    pluginConfig: [quiet],
  },
]

let dir = ''
let cluster: Awaited<ReturnType<typeof startCluster>>
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'berth-verdict-'))
  mkdirSync(join(dir, 'plugins'))
  writeFileSync(join(dir, 'plugins/quiet.mjs'), rule)
  cpSync(rack, join(dir, 'plugins/rack.mjs'))
  writeFileSync(join(dir, 'scheduler.yaml'), JSON.stringify({ profiles, leaderElection: { leaderElect: false } }))
  writeFileSync(
    join(dir, 'extender.yaml'),
    JSON.stringify({ plugins: [{ name: 'NodeResourcesFit' }, quiet, { name: 'example-rack' }] }),
  )
  cluster = await startCluster()
})
afterEach(async () => {
  await cluster.close()
  rmSync(dir, { recursive: true })
})

/**
 * Five nodes: one without enough dongles, two that are too loud, one on which only a small pod fits, and one on which a
 * pod of the same app runs.
 */
async function startCluster() {
  const started = await startServedCluster(dir)
  for (const [name, dongles, noise] of [
    ['node-a', '1', '1'],
    ['node-b', '4', '9'],
    ['node-c', '4', '7'],
    ['node-d', '2', '5'],
    ['node-e', '4', '0'],
  ] as const) {
    await started.addNode(name, { cpu: '4', memory: '8Gi', pods: '10', [dongle]: dongles }, { noise })
  }
  await started.client.create<Pod>(resourceRefs.pods, {
    metadata: { namespace: 'default', name: 'first', labels: { app: 'web' } },
    spec: { nodeName: 'node-e', containers: [{ name: 'main', image: 'x' }] },
  })
  return started
}

function podThatAsksFor(dongles: string): Promise<Pod> {
  const amounts = { [dongle]: dongles }
  return cluster.client.create<Pod>(resourceRefs.pods, {
    metadata: { ...web, labels: { app: 'web' } },
    spec: {
      schedulerName: 'berth-scheduler',
      containers: [{ name: 'main', image: 'x', resources: { requests: amounts, limits: amounts } }],
    },
  })
}

function start(app: string, ...argv: readonly string[]) {
  return startProgram(join(programs, app, 'src/main.ts'), [...argv, '--kubeconfig', cluster.kubeconfig])
}

interface Answer {
  readonly message: string
  readonly feasible: readonly string[]
  readonly nodes: readonly { readonly node: string; readonly verdict: string; readonly reasons: readonly string[] }[]
}

async function explain(): Promise<Answer> {
  const files = ['--scheduler-config', join(dir, 'scheduler.yaml'), '--plugin-dir', join(dir, 'plugins')]
  const { code, stdout, stderr } = await start('kubectl-berth', 'explain', 'pod', 'web', '-o', 'json', ...files).ended
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as Answer
}

/** Polls every 20 ms, for at most one minute. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 3_000; tries++) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(20)
  }
  throw new Error('waited for one minute')
}

test('explain gives the message of the scheduler that loads the same plugin directory', async () => {
  await podThatAsksFor('3')
  const files = ['--config', join(dir, 'scheduler.yaml'), '--plugin-dir', join(dir, 'plugins')]
  const scheduler = start('scheduler', ...files, '--health-address', '127.0.0.1:0')
  try {
    const message = await until(async () => {
      const { status } = await cluster.client.get<Pod>(resourceRefs.pods, web)
      return status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message
    })
    const answer = await explain()
    expect(answer.message).toBe(
      '0/5 nodes are available: 1 app=web already runs there as first, 1 node-b is louder than 5, 1 node-c is louder than 5, 2 Insufficient example.com/dongle.',
    )
    // The scheduler adds what preemption found.
    expect(message.startsWith(answer.message)).toBe(true)
  } finally {
    scheduler.child.kill('SIGTERM')
    await scheduler.ended
  }
})

test('explain finds the node on which that scheduler binds the pod', async () => {
  await podThatAsksFor('2')
  const answer = await explain()
  expect(answer.feasible).toEqual(['node-d'])
  const files = ['--config', join(dir, 'scheduler.yaml'), '--plugin-dir', join(dir, 'plugins')]
  const scheduler = start('scheduler', ...files, '--health-address', '127.0.0.1:0')
  try {
    expect(await scheduler.line('Starting')).toBeDefined()
    const nodeName = await until(async () => (await cluster.client.get<Pod>(resourceRefs.pods, web)).spec.nodeName)
    expect(nodeName).toBe('node-d')
  } finally {
    scheduler.child.kill('SIGTERM')
    await scheduler.ended
  }
})

test('explain gives the reasons of the extender that loads the same plugin directory', async () => {
  const pod = await podThatAsksFor('3')
  const files = ['--config', join(dir, 'extender.yaml'), '--plugin-dir', join(dir, 'plugins')]
  const addresses = ['--insecure-http', '--listen', '127.0.0.1:0', '--health-address', '127.0.0.1:0']
  const extender = start('extender', ...files, ...addresses)
  try {
    const { address: health } = await extender.line('Serving health')
    const { address } = await extender.line('Serving scheduler extender')
    await until(async () => ((await fetch(`http://${String(health)}/readyz`)).status === 200 ? true : undefined))
    const { nodes } = await explain()
    const response = await fetch(`http://${String(address)}/filter`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ Pod: pod, NodeNames: nodes.map(({ node }) => node) }),
    })
    const result = (await response.json()) as Readonly<Record<string, Readonly<Record<string, string>>>>
    const reasonsOf = (kind: string) =>
      Object.fromEntries(
        nodes.filter(({ verdict }) => verdict === kind).map(({ node, reasons }) => [node, reasons.join(', ')]),
      )
    expect(result['FailedNodes']).toEqual(reasonsOf('unschedulable'))
    expect(result['FailedNodes']).toMatchObject({ 'node-b': 'node-b is louder than 5' })
    expect(result['FailedAndUnresolvableNodes']).toEqual(reasonsOf('unresolvable'))
    expect(nodes).toHaveLength(5)
  } finally {
    extender.child.kill('SIGTERM')
    await extender.ended
  }
})
