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

/** Lets a real extender process record two calls: one before and one after a pod took the dongle of node-a. */
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
    const node: Node = { metadata: { name, annotations: { secret: 'node-secret' } }, spec: {} }
    await client.create<Node>(resourceRefs.nodes, node)
    await client.patch(resourceRefs.nodes, { name }, { status }, { type: 'merge', subresource: 'status' })
  }
  const resources = { requests: { [DONGLE]: '1' }, limits: { [DONGLE]: '1' } }
  const pod = (name: string): Pod => ({
    metadata: { name, namespace: 'default', annotations: { secret: 'pod-secret' } },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'secret-image',
          resources,
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
  const filter = async (): Promise<readonly string[]> => {
    const body = JSON.stringify({ Pod: pod('web'), NodeNames: ['node-a', 'node-b'] })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`http://${String(address)}/filter`, { method: 'POST', headers, body })
    return ((await answer.json()) as { readonly NodeNames: readonly string[] }).NodeNames
  }
  await filter()
  const holder = pod('holder')
  await client.create(resourceRefs.pods, { ...holder, spec: { ...holder.spec, nodeName: 'node-a' } })
  await vi.waitFor(async () => expect(await filter()).toEqual(['node-b']), options)
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
    writeFileSync(config, `plugins: [{ name: NodeResourcesFit }]\nsecondLookMs: 0\n${keys}`)
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
    expect(terminal.output()).toMatch(/ default\/web +node-a +Insufficient example\.com\/dongle +passes\n/)
    const json = await replay(['verdicts.jsonl', '--config', 'new.yaml', '-o', 'json'], files)
    const { calls, changed } = JSON.parse(json.terminal.output()) as Replay
    expect(calls).toBeGreaterThanOrEqual(2)
    expect(changed[0]).toMatchObject({
      pod: 'default/web',
      passedBefore: 1,
      passedAfter: 2,
      nodes: [{ node: 'node-a', before: 'Insufficient example.com/dongle', after: '' }],
    })
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
