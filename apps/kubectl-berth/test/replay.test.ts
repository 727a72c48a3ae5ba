import { systemClock } from '@berth/clock'
import { connectCluster, loadKubeconfig, resourceRefs } from '@berth/k8s-client'
import { createPluginRegistry } from '@berth/plugin-api'
import { startProgram } from '@berth/process/testing'
import { createApiServer, serveApiServer } from '@berth/simulator'
import { type Node, type Pod, silentLogger } from '@berth/types'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runCli } from '../src/cli/run-cli.ts'
import type { Replay } from '../src/replay/replay-verdicts.ts'
import { replayCommand } from '../src/replay/replay-command.ts'
import { testTerminal, type TestTerminal } from './test-terminal.ts'

const DONGLE = 'example.com/dongle'
const guide = readFileSync(new URL('../../../docs/guides/replay-verdicts.md', import.meta.url), 'utf8')
/** The blocks of the guide that name this test. */
const testedBy = /<!-- tested by: apps\/kubectl-berth\/test\/replay\.test\.ts -->\n *```\w+\n([\s\S]*?)```/g
const [recordKeys = '', replayLine = ''] = [...guide.matchAll(testedBy)].map(([, text = '']) =>
  text.replaceAll(/^ +/gm, ''),
)
const extender = join(import.meta.dirname, '..', '..', 'extender', 'src', 'main.ts')

async function replay(
  argv: readonly string[],
  files: Readonly<Record<string, string>>,
  columns?: number,
): Promise<{ readonly terminal: TestTerminal; readonly error: unknown }> {
  const terminal = testTerminal(files)
  if (columns !== undefined) Object.assign(terminal, { columns, tableColumns: columns })
  const unused = (): Promise<never> => Promise.reject(new Error('not used'))
  const run = runCli({
    argv: ['replay', ...argv],
    commands: [replayCommand],
    terminal,
    stop: new AbortController().signal,
    version: '0.0.0',
    connect: unused,
    complete: async () => undefined,
    contexts: async () => [],
    connectTransport: unused,
    builtInPlugins: unused,
    loadPlugins: () => Promise.resolve(createPluginRegistry([])),
  })
  return {
    terminal,
    error: await run.then(
      () => undefined,
      (reason: unknown) => reason,
    ),
  }
}

/**
 * Lets a real extender process record calls of every verb: a filter call before a pod took the dongle and 3 CPUs of node-a, which has a
 * taint, and all others after it.
 */
async function record(dir: string, config: string): Promise<string> {
  await using parts = new AsyncDisposableStack()
  const world = { clock: systemClock(), random: Math.random, log: silentLogger }
  const served = parts.use(await serveApiServer(createApiServer(world)))
  const kubeconfig = join(dir, 'kubeconfig')
  writeFileSync(kubeconfig, served.kubeconfig())
  const access = loadKubeconfig({ path: kubeconfig, env: {}, home: dir })
  const { client } = parts.use(connectCluster({ access, ...world, qps: 0, userAgent: 'test' }))
  const amounts = { cpu: '4', memory: '8Gi', pods: '10', [DONGLE]: '1' }
  const status = { capacity: amounts, allocatable: amounts }
  for (const name of ['node-a', 'node-b']) {
    const taints = name === 'node-a' ? [{ key: 'reserved', effect: 'NoSchedule' as const }] : []
    const node: Node = { metadata: { name, annotations: { secret: 'node-secret' } }, spec: { taints } }
    await client.create<Node>(resourceRefs.nodes, node)
    await client.patch(resourceRefs.nodes, { name }, { status }, { type: 'merge', subresource: 'status' })
  }
  const dongle = { [DONGLE]: '1' }
  const pod = (name: string, requests: Readonly<Record<string, string>> = dongle): Pod => ({
    metadata: { name, namespace: 'default', annotations: { secret: 'pod-secret' } },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'secret-image',
          resources: { requests, limits: requests },
          command: ['secret-command'],
          env: [{ name: 'K', value: 'secret-env' }],
        },
      ],
    },
  })
  const file = join(dir, 'verdicts.jsonl')
  const flags = ['--kubeconfig', kubeconfig, '--config', config, '--insecure-http']
  const running = startProgram(extender, [...flags, '--listen', '127.0.0.1:0', '--health-address', '127.0.0.1:0'])
  const { address: health } = await running.line('Serving health')
  const { address } = await running.line('Serving scheduler extender')
  const options = { timeout: 60_000, interval: 20 }
  await vi.waitFor(async () => expect((await fetch(`http://${String(health)}/readyz`)).status).toBe(200), options)
  const call = async (verb: string, sent: unknown): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`http://${String(address)}/${verb}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(sent),
    })
    return answer.json()
  }
  const NodeNames = ['node-a', 'node-b']
  const filter = async (): Promise<readonly string[]> =>
    ((await call('filter', { Pod: pod('web'), NodeNames })) as { readonly NodeNames: readonly string[] }).NodeNames
  await filter()
  const holder = pod('holder', { ...dongle, cpu: '3' })
  const { metadata } = await client.create(resourceRefs.pods, {
    ...holder,
    spec: { ...holder.spec, nodeName: 'node-a' },
  })
  await vi.waitFor(async () => expect(await filter()).toEqual(['node-b']), options)
  await call('prioritize', { Pod: pod('plain', { cpu: '1' }), NodeNames })
  const victims = { Pods: [{ UID: metadata.uid }], NumPDBViolations: 0 }
  const urgent = pod('urgent')
  const Pod = { ...urgent, spec: { ...urgent.spec, priority: 1_000 } }
  expect(await call('preempt', { Pod, NodeNameToMetaVictims: { 'node-a': victims } })).toEqual({
    NodeNameToMetaVictims: { 'node-a': victims },
  })
  const web = await client.create(resourceRefs.pods, pod('web'))
  const bind = { PodName: 'web', PodNamespace: 'default', PodUID: web.metadata.uid, Node: 'node-a' }
  const refused = expect.stringContaining('Insufficient') as string
  await vi.waitFor(async () => expect(await call('bind', bind)).toEqual({ Error: refused }), options)
  running.child.kill('SIGTERM')
  await running.ended
  return file
}

describe('kubectl berth replay', () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-replay-'))
  let file = ''
  let recording = ''
  beforeAll(async () => {
    const config = join(dir, 'extender.yaml')
    const keys = recordKeys.replace('/var/lib/berth', dir)
    writeFileSync(config, `plugins: [{ name: NodeResourcesFit }]\nsecondLookMs: 0\nbind: true\n${keys}`)
    file = await record(dir, config)
    recording = readFileSync(file, 'utf8')
  }, 120_000)
  afterAll(() => rmSync(dir, { recursive: true }))

  test('a recording is private and holds no annotations, environment, commands and images', () => {
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(recording).toContain(DONGLE)
    expect(recording).not.toContain('secret')
  })

  test('the recorded configuration reproduces every verdict', async () => {
    const { terminal, error } = await replay(['verdicts.jsonl'], { 'verdicts.jsonl': recording })
    expect(error).toBeUndefined()
    expect(terminal.output()).toMatch(/^0 of \d+ calls change\.\n$/)
  })

  test('another configuration shows the calls, nodes and reasons that change, and fails', async () => {
    const config = `plugins: [{ name: NodeResourcesFit, args: { ignoredResources: ['${DONGLE}'] } }]`
    const files = { 'verdicts.jsonl': recording, 'new.yaml': config }
    expect(replayLine).toMatch(/^kubectl berth replay /)
    const { terminal, error } = await replay(replayLine.trim().split(' ').slice(3), files)
    expect(error).toMatchObject({ code: 'BERTH_KUBECTL_REPLAY' })
    expect(terminal.output()).toMatch(/ filter +default\/web +node-a +Insufficient example\.com\/dongle +passes\n/)
    const json = await replay(['verdicts.jsonl', '--config', 'new.yaml', '-o', 'json'], files)
    const { calls, changed } = JSON.parse(json.terminal.output()) as Replay
    expect(calls).toBeGreaterThanOrEqual(2)
    expect(changed[0]).toMatchObject({
      verb: 'filter',
      pod: 'default/web',
      passedBefore: 1,
      passedAfter: 2,
      nodes: [{ node: 'node-a', before: 'Insufficient example.com/dongle', after: 'passes' }],
    })
  })

  test('a policy that checks taints changes verdicts of every verb that decides on nodes, also whether preemption helps', async () => {
    const config = 'plugins: [{ name: TaintToleration, weight: 0 }, { name: NodeResourcesFit }]'
    const files = { 'verdicts.jsonl': recording, 'taints.yaml': config }
    const { terminal } = await replay(['verdicts.jsonl', '--config', 'taints.yaml', '-o', 'json'], files)
    const { changed } = JSON.parse(terminal.output()) as Replay
    const changeOf = (verb: string) => changed.findLast((call) => call.verb === verb)?.nodes
    const taint = 'node(s) had untolerated taint(s) (unresolvable)'
    const insufficient = 'Insufficient example.com/dongle'
    expect(changed.find(({ verb }) => verb === 'filter')?.nodes).toEqual([
      { node: 'node-a', before: 'passes', after: taint },
    ])
    expect(changeOf('filter')).toEqual([{ node: 'node-a', before: insufficient, after: taint }])
    expect(changeOf('preempt')).toEqual([{ node: 'node-a', before: 'evicts default/holder', after: 'not a candidate' }])
    expect(changeOf('bind')).toEqual([
      { node: 'node-a', before: insufficient, after: taint.replace(' (unresolvable)', '') },
    ])
    expect(changeOf('prioritize')).toBeUndefined()
  })

  test('a policy that packs nodes changes their ranks', async () => {
    const config =
      'plugins: [{ name: NodeResourcesFit, args: { scoringStrategy: { type: MostAllocated, resources: [{ name: cpu, weight: 1 }] } } }]'
    const files = { 'verdicts.jsonl': recording, 'pack.yaml': config }
    const { terminal } = await replay(['verdicts.jsonl', '--config', 'pack.yaml', '-o', 'json'], files)
    const { changed } = JSON.parse(terminal.output()) as Replay
    expect(changed).toMatchObject([
      {
        verb: 'prioritize',
        pod: 'default/plain',
        nodes: [
          { node: 'node-a', before: 'rank 2 (score 5)', after: 'rank 1 (score 10)' },
          { node: 'node-b', before: 'rank 1 (score 9)', after: 'rank 2 (score 3)' },
        ],
      },
    ])
  })

  test('an incomplete last line is counted, and an early end is reported', async () => {
    const broken = `${recording}{"kind":"filter","ti\n{"kind":"end","reason":"the recording reached 5 bytes"}\n`
    const { terminal } = await replay(['verdicts.jsonl'], { 'verdicts.jsonl': broken })
    expect(terminal.output()).toContain('1 line(s) cannot be read.')
    expect(terminal.notes()).toContain('The recording is not complete: the recording reached 5 bytes.')
  })

  test('fits into 40 columns', async () => {
    const config = `plugins: [{ name: NodeResourcesFit, args: { ignoredResources: ['${DONGLE}'] } }]`
    const files = { 'verdicts.jsonl': `${recording}{"kind":"filter","ti\n`, 'new.yaml': config }
    const { terminal } = await replay(['verdicts.jsonl', '--config', 'new.yaml'], files, 40)
    const lines = `${terminal.output()}${terminal.notes()}`.split('\n')
    expect(lines.filter((line) => line.length > 40)).toEqual([])
    const text = terminal.output().replaceAll(/\s+/g, ' ')
    for (const shown of ['default/web', 'node-a', DONGLE, 'passes', '1 line(s) cannot be read.'])
      expect(text).toContain(shown)
  })

  test.for([
    { it: 'a file that is not a recording', files: { 'verdicts.jsonl': '{}\n' }, code: 'BERTH_KUBECTL_FILE' },
    { it: 'a missing file', files: {}, code: 'BERTH_KUBECTL_FILE' },
  ])('refuses $it', async ({ files, code }) => {
    const { error } = await replay(['verdicts.jsonl'], files)
    expect(error).toMatchObject({ code })
  })

  test.for([
    { it: 'text that is not YAML', config: 'plugins: [', code: 'BERTH_KUBECTL_USAGE', says: 'read new.yaml' },
    { it: 'a wrong key', config: 'plugins: [{ name: 7 }]', code: 'BERTH_KUBECTL_USAGE', says: 'plugins.0.name' },
    {
      it: 'an unknown plugin',
      config: 'plugins: [{ name: none }]',
      code: 'BERTH_EXTENDER_CONFIG_PLUGIN',
      says: 'none',
    },
  ])('refuses a configuration with $it', async ({ config, code, says }) => {
    const files = { 'verdicts.jsonl': recording, 'new.yaml': config }
    const { error } = await replay(['verdicts.jsonl', '--config', 'new.yaml'], files)
    expect(error).toMatchObject({ code, message: expect.stringContaining(says) as string })
  })
})
