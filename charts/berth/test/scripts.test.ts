import { systemClock } from '@berth/clock'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createApiServer, serveApiServer, type ServedApi } from '@berth/simulator'
import { callJson } from '@berth/simulator/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { find, podTemplates } from './chart-object.ts'
import { render } from './render.ts'
import { run } from './run-script.ts'
import { scratchFolder } from './scratch-folder.ts'

const dir = scratchFolder()

describe('scripts that ask the API server', () => {
  // No controllers: the test says what the status is.
  const { handle } = createApiServer({ clock: systemClock(), random: Math.random })
  let served: ServedApi | undefined
  let env: Readonly<Record<string, string>> = {}
  beforeAll(async () => {
    served = await serveApiServer({ handle }, { now: () => Date.now() })
    const kubeconfig = parse(served.kubeconfig()) as {
      readonly clusters: readonly {
        readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string }
      }[]
      readonly users: readonly { readonly user: { readonly token: string } }[]
    }
    const { server = '', 'certificate-authority-data': ca = '' } = kubeconfig.clusters[0]?.cluster ?? {}
    writeFileSync(join(dir, 'ca.crt'), Buffer.from(ca, 'base64'))
    writeFileSync(join(dir, 'token'), kubeconfig.users[0]?.user.token ?? '')
    const { hostname, port } = new URL(server)
    env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, NODE_EXTRA_CA_CERTS: join(dir, 'ca.crt') }
  })
  afterAll(async () => {
    await served?.[Symbol.asyncDispose]()
  })
  const call = async (method: 'POST' | 'PATCH', path: string, body: unknown) => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const answer = await callJson(handle, method, path, { body, contentType })
    expect(answer.status).toBeLessThan(300)
  }

  test('await-daemonset ends when every pod is ready, and gives up with what it saw last', async () => {
    const name = 'berth-uninstall-sockets'
    expect((await run('await-daemonset', ['lab', name, '1'], env)).text).toMatch(
      /gave up on DaemonSet lab\/\S+ after 1 s: .*not found/,
    )
    await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lab' } })
    const objects = await render({ profile: 'device-plugin-only', namespace: 'lab' })
    await call('POST', '/apis/apps/v1/namespaces/lab/daemonsets', find(objects, 'DaemonSet', name))
    const path = `/apis/apps/v1/namespaces/lab/daemonsets/${name}/status`
    const status = {
      observedGeneration: 1,
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
    }
    await call('PATCH', path, { status: { ...status, numberReady: 1 } })
    const early = await run('await-daemonset', ['lab', name, '1'], env)
    expect(early).toEqual({ code: 1, text: `gave up on DaemonSet lab/${name} after 1 s: 1 of 2 pods ready\n` })
    await call('PATCH', path, { status: { ...status, numberReady: 2 } })
    expect(await run('await-daemonset', ['lab', name, '5'], env)).toEqual({ code: 0, text: '2 of 2 pods ready\n' })
  })

  test('await-daemonset names the node where something stays, and why; it waits for no node that does not answer', async () => {
    const name = 'berth-uninstall-sockets'
    await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'dark' } })
    const daemonSet = find(await render({ profile: 'device-plugin-only', namespace: 'dark' }), 'DaemonSet', name)
    await call('POST', '/apis/apps/v1/namespaces/dark/daemonsets', daemonSet)
    await call('PATCH', `/apis/apps/v1/namespaces/dark/daemonsets/${name}/status`, {
      status: {
        observedGeneration: 1,
        desiredNumberScheduled: 2,
        currentNumberScheduled: 2,
        numberMisscheduled: 0,
        numberReady: 1,
      },
    })
    await call('POST', '/api/v1/namespaces/dark/serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default' },
    })
    const ready = (status: string) => ({ status: { conditions: [{ type: 'Ready', status }] } })
    for (const node of ['dark-1', 'dark-2']) {
      await call('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: node } })
      await call('PATCH', `/api/v1/nodes/${node}/status`, ready('True'))
      const { labels } = podTemplates([daemonSet])[0]?.metadata ?? {}
      const spec = { nodeName: node, containers: [{ name: 'done', image: 'pause' }] }
      const metadata = { name: `on-${node}`, labels }
      await call('POST', '/api/v1/namespaces/dark/pods', { apiVersion: 'v1', kind: 'Pod', metadata, spec })
    }
    await call('PATCH', '/api/v1/namespaces/dark/pods/on-dark-1/status', ready('True'))
    const early = await run('await-daemonset', ['dark', name, '2'], env)
    expect(early).toEqual({ code: 1, text: `gave up on DaemonSet dark/${name} after 2 s: 1 of 2 pods ready\n` })
    const message = '/sockets/berth-1.sock is still answered\n'
    const failing = { name: 'clear-sockets', image: 'a', imageID: 'a', ready: false, restartCount: 1 }
    const lastState = { terminated: { exitCode: 1, message } }
    const initContainerStatuses = [{ ...failing, state: { waiting: {} }, lastState }]
    await call('PATCH', '/api/v1/namespaces/dark/pods/on-dark-2/status', { status: { initContainerStatuses } })
    expect(await run('await-daemonset', ['dark', name, '2'], env)).toEqual({
      code: 1,
      text: `gave up on DaemonSet dark/${name} after 2 s: 1 of 2 pods ready; on node dark-2: ${message}`,
    })
    await call('PATCH', '/api/v1/nodes/dark-2/status', ready('Unknown'))
    expect(await run('await-daemonset', ['dark', name, '10'], env)).toEqual({
      code: 0,
      text: '1 of 2 pods ready; these nodes do not answer and keep the directory of the sockets: dark-2\n',
    })
  })

  test('refuse-held names the pods that hold what is asked about, and no others', async () => {
    const dongle = 'example.com/dongle'
    const names = [dongle, 'example.com/seat']
    expect(await run('refuse-held', names, env)).toEqual({ code: 0, text: '' })
    await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'users' } })
    await call('POST', '/api/v1/namespaces/users/serviceaccounts', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default' },
    })
    const pod = async (name: string, resource: string, nodeName?: string): Promise<void> => {
      const containers = [{ name: 'main', image: 'pause', resources: { limits: { [resource]: '1' } } }]
      const spec = { containers, ...(nodeName !== undefined && { nodeName }) }
      await call('POST', '/api/v1/namespaces/users/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec })
    }
    await pod('holder', dongle, 'node-1')
    await pod('waiting', dongle)
    await pod('other', 'vendor.io/fpga', 'node-1')
    await pod('done', dongle, 'node-1')
    await call('PATCH', '/api/v1/namespaces/users/pods/done/status', { status: { phase: 'Succeeded' } })
    expect(await run('refuse-held', names, env)).toEqual({
      code: 1,
      text: `running pods still hold ${dongle}: users/holder\nDelete these pods, or set force to "true" in the ConfigMap whose name ends in -uninstall.\n`,
    })
    expect(await run('refuse-held', names, { ...env, BERTH_ADVERTISER_FORCE: 'true' })).toEqual({ code: 0, text: '' })
  })
})
