import { systemClock } from '@berth/clock'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connectCluster, loadKubeconfig, resourceRefs } from '@berth/k8s-client'
import { startProgram, type RunningProgram } from '@berth/process/testing'
import { createApiServer, serveApiServer } from '@berth/simulator'
import { type Node, type Pod, silentLogger } from '@berth/types'
import { expect, test } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

const start = (argv: readonly string[]): RunningProgram => startProgram(main, argv)

async function startApi(): Promise<
  AsyncDisposable & {
    readonly kubeconfig: string
    readonly dir: string
    readonly admin: ReturnType<typeof connectCluster>
  }
> {
  const clock = systemClock()
  const world = { clock, random: Math.random, log: silentLogger }
  const served = await serveApiServer(createApiServer(world))
  const dir = mkdtempSync(join(tmpdir(), 'berth-process-'))
  const kubeconfig = join(dir, 'kubeconfig')
  writeFileSync(kubeconfig, served.kubeconfig())
  const access = loadKubeconfig({ path: kubeconfig, env: {}, home: dir })
  const admin = connectCluster({ access, ...world, qps: 0, userAgent: 'test' })
  const status = {
    capacity: { cpu: '4', memory: '8Gi', pods: '10' },
    allocatable: { cpu: '4', memory: '8Gi', pods: '10' },
  }
  await admin.client.create<Node>(resourceRefs.nodes, { metadata: { name: 'node-a' }, spec: {}, status })
  await admin.client.patch(resourceRefs.nodes, { name: 'node-a' }, { status }, { type: 'merge', subresource: 'status' })
  return {
    kubeconfig,
    dir,
    admin,
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]()
      await served[Symbol.asyncDispose]()
      rmSync(dir, { recursive: true })
    },
  }
}

test('answers kube-scheduler with a plugin from a directory, and exits with 0 on SIGTERM', async () => {
  await using api = await startApi()
  const pluginFile = join(api.dir, 'plugins', 'odd-names.mjs')
  mkdirSync(join(api.dir, 'plugins'))
  writeFileSync(
    pluginFile,
    `import { defineSchedulingPlugin, perNode } from '@berth/plugin-api'
    import { z } from 'zod'
    export const plugin = defineSchedulingPlugin({
      apiVersion: 'berth.dev/v1',
      name: 'no-node-a', description: 'Rejects node-a.', argsSchema: z.strictObject({}),
      create: () => perNode({ filter: (pod, node) => (node.name === 'node-a' ? 'node-a is rejected' : undefined) }),
    })\n`,
  )
  const config = join(api.dir, 'extender.yaml')
  writeFileSync(config, 'plugins: [{ name: no-node-a }, { name: chaos-dice, weight: 2 }]\nlisten: 127.0.0.1:0\n')
  const files = ['--kubeconfig', api.kubeconfig, '--config', config, '--plugin-dir', join(api.dir, 'plugins')]
  const running = start([...files, '--insecure-http', '--health-address', '127.0.0.1:0'])
  const { address: health } = await running.line('Serving health')
  const { address } = await running.line('Serving scheduler extender')
  await until(async () => (await fetch(`http://${String(health)}/readyz`)).status === 200)
  const pod: Pod = { metadata: { name: 'web', namespace: 'default' }, spec: { containers: [] } }
  const answer = await fetch(`http://${String(address)}/filter`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ Pod: pod, NodeNames: ['node-a'] }),
  })
  expect(await answer.json()).toMatchObject({
    NodeNames: [],
    FailedNodes: { 'node-a': 'node-a is rejected' },
    Error: '',
  })
  const metrics = await (await fetch(`http://${String(health)}/metrics`)).text()
  expect(metrics).toContain('berth_extender_calls_total{verb="filter",result="ok"} 1')
  expect(metrics).toMatch(/^berth_extender_view_age_seconds \d/m)

  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
})

test.for([
  { it: 'missing certificate flags', argv: [], says: '--tls-cert-file and --tls-private-key-file are required' },
])('exits with 2, one clear message and no stack trace for $it', async ({ argv, says }) => {
  const { code, stderr } = await start(argv).ended
  expect(code).toBe(2)
  expect(stderr).toContain(says)
  expect(stderr).not.toMatch(/\n\s+at /)
})

test('fails with one clear error when the port is in use', async () => {
  await using api = await startApi()
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as { readonly port: number }
  const argv = ['--kubeconfig', api.kubeconfig, '--insecure-http', '--listen', `127.0.0.1:${port}`]
  const { code, stderr } = await start([...argv, '--health-address', '127.0.0.1:0']).ended
  server.close()
  expect(code).toBe(1)
  expect(stderr).toContain(`listen for kube-scheduler on 127.0.0.1:${port}: the port is in use`)
})

test('reports an infinite age of a cluster state that it has never read', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-process-'))
  const kubeconfig = join(dir, 'kubeconfig')
  const served = await serveApiServer(createApiServer({ clock: systemClock(), random: Math.random }))
  writeFileSync(kubeconfig, served.kubeconfig())
  await served[Symbol.asyncDispose]()
  const argv = ['--kubeconfig', kubeconfig, '--insecure-http', '--listen', '127.0.0.1:0']
  const running = start([...argv, '--health-address', '127.0.0.1:0'])
  const { address } = await running.line('Serving health')
  const metrics = await (await fetch(`http://${String(address)}/metrics`)).text()
  running.child.kill('SIGTERM')
  await running.ended
  rmSync(dir, { recursive: true })
  expect(metrics).toContain('berth_extender_view_age_seconds +Inf\n')
})

/** Polls every 20 ms, for at most one minute. */
async function until(isDone: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3_000 && !(await isDone()); tries++) await sleep(20)
}
