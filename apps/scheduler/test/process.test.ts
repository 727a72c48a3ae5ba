import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import { expect, test } from 'vitest'
import { startApi, startScheduler } from './served-api.ts'

test('binds over TLS while it holds the Lease, logs what it does, and exits 0 on SIGTERM', async () => {
  await using api = await startApi()
  const pod: Pod = {
    metadata: { name: 'web', namespace: 'default' },
    spec: { schedulerName: 'berth-scheduler', containers: [{ name: 'main', image: 'busybox' }] },
  }
  await api.admin.client.create(resourceRefs.pods, pod)
  const running = startScheduler([
    '--kubeconfig',
    api.kubeconfig,
    '--health-address',
    '127.0.0.1:0',
    '--log-level',
    'debug',
  ])
  const { address } = await running.line('Serving health')
  expect(await running.line('Pod bound')).toMatchObject({ pod: 'default/web', node: 'node-a' })
  expect(
    (await api.admin.client.get<Pod>(resourceRefs.pods, { namespace: 'default', name: 'web' })).spec.nodeName,
  ).toBe('node-a')

  expect((await fetch(`http://${String(address)}/readyz`)).status).toBe(200)
  const metrics = await (await fetch(`http://${String(address)}/metrics`)).text()
  expect(metrics).toContain('berth_scheduler_attempts_total{result="scheduled",profile="berth-scheduler"} 1')
  expect(metrics).toContain(
    'berth_scheduler_plugin_duration_seconds_count{plugin="NodeResourcesFit",extension_point="Filter"} 1',
  )
  expect(metrics).toContain('berth_scheduler_is_leader 1')
  expect(metrics).toContain('berth_scheduler_pending_pods{queue="active"} 0')
  for (const line of [
    'scheduler_schedule_attempts_total{result="scheduled",profile="berth-scheduler"} 1',
    'scheduler_pod_scheduling_sli_duration_seconds_count{attempts="1"} 1',
    'scheduler_framework_extension_point_duration_seconds_count{extension_point="Filter",status="Success",profile="berth-scheduler"} 1',
    'scheduler_framework_extension_point_duration_seconds_count{extension_point="Bind",status="Success",profile="berth-scheduler"} 1',
    'scheduler_queue_incoming_pods_total{queue="active",event="UnschedulablePodAdd"} 1',
    'scheduler_pending_pods{queue="gated"} 0',
    'scheduler_cache_size{type="nodes"} 1',
  ])
    expect(metrics).toContain(line)

  running.child.kill('SIGTERM')
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' })
  const lease = await api.admin.client.get(resourceRefs.leases, { namespace: 'kube-system', name: 'berth-scheduler' })
  expect(lease).toMatchObject({ spec: { holderIdentity: '' } })
})

test('--write-config-to writes a configuration that --validate accepts', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-process-'))
  const file = join(dir, 'written.yaml')
  const given = ['--scheduler-name', 'mine', '--kube-api-qps', '7']
  expect(await startScheduler([...given, '--write-config-to', file]).ended).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(file, 'utf8')).toMatch(/qps: 7[^]*schedulerName: mine/)
  expect(await startScheduler(['--config', file, '--validate']).ended).toEqual({
    code: 0,
    stderr: '',
    stdout: 'The configuration is valid.',
  })
  writeFileSync(file, 'profiles: [{ plugins: { filter: { enabled: [{ name: nothing }] } } }]')
  expect(await startScheduler(['--config', file, '--validate']).ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('profiles[0].plugins.filter.enabled[0]') as string,
  })
  rmSync(dir, { recursive: true })
})

test('loads an installed package by name', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'berth-process-'))
  const root = join(dir, 'node_modules', '@acme', 'rule')
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'package.json'), '{"type": "module", "exports": "./rule.js"}')
  writeFileSync(
    join(root, 'rule.js'),
    `import { defineSchedulingPlugin } from '@berth/plugin-api'
     import { z } from 'zod'
     export const plugin = defineSchedulingPlugin({
       apiVersion: 'berth.dev/v1', name: 'acme-rule', description: 'A rule.', argsSchema: z.strictObject({}),
       create: () => ({ filter() {} }),
     })`,
  )
  const file = join(dir, 'scheduler.yaml')
  writeFileSync(file, 'profiles: [{ plugins: { filter: { enabled: [{ name: acme-rule }] } } }]')
  const argv = ['--plugin-dir', dir, '--config', file, '--validate']
  expect(await startScheduler([...argv, '--plugin-modules', '@acme/rule']).ended).toMatchObject({ code: 0, stderr: '' })
  expect(await startScheduler(argv).ended).toMatchObject({ code: 2 })
  expect(await startScheduler([...argv, '--plugin-modules', '@acme/none']).ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('load plugin module @acme/none: no such package in') as string,
  })
  rmSync(dir, { recursive: true })
})

test.for([
  {
    it: 'a missing file',
    argv: ['--config', '/nowhere.yaml'],
    says: 'read KubeSchedulerConfiguration /nowhere.yaml',
  },
  {
    it: 'a missing plugin directory',
    argv: ['--plugin-dir', '/nowhere'],
    says: 'read plugin directory /nowhere',
  },
])('exits with one clear message and no stack: $it', async ({ argv, says }) => {
  const { code, stderr } = await startScheduler(argv).ended
  expect(code).toBe(2)
  expect(stderr).toContain(says)
  expect(stderr).not.toMatch(/\n\s+at /)
})

test('reports a health port in use as one clear error', async () => {
  await using api = await startApi()
  const server = createServer()
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as { readonly port: number }
  const { code, stderr } = await startScheduler([
    '--kubeconfig',
    api.kubeconfig,
    '--health-address',
    `127.0.0.1:${port}`,
  ]).ended
  server.close()
  expect(code).toBe(1)
  expect(stderr).toContain(`listen for health and metrics on 127.0.0.1:${port}: the port is in use`)
})
