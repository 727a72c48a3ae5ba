import { expect, test, vi } from 'vitest'
import type { PendingGroup, PendingModel } from '../../src/ui/model/pending-model.ts'
import type { UiModel } from '../../src/ui/model/ui-model.ts'
import { testCluster, type TestCluster } from '../test-cluster.ts'
import { uiRequest } from './ui-request.ts'

const dongle = 'example.com/dongle'

/** Runs `ui` with these flags while some work runs with the address that it printed. */
async function whileServing(
  cluster: TestCluster,
  flags: readonly string[],
  work: (address: URL) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const before = cluster.terminal.output().length
  const command = cluster.runUntil(stop.signal, 'ui', ...flags)
  try {
    const printed = vi.waitFor(() => new URL(cluster.terminal.output().slice(before).trim()), { timeout: 60_000 })
    await work(await Promise.race([printed, command.then((output) => new URL(output))]))
  } finally {
    stop.abort()
    await command
  }
}

const bearer = (address: URL): Record<string, string> => ({
  authorization: `Bearer ${new URLSearchParams(address.hash.slice(1)).get('token')}`,
})

test('ui prints an address whose token opens the data, and ends with the signal', async () => {
  const cluster = testCluster()
  await cluster.addNode('node-1', { [dongle]: '4' })
  let origin = ''
  await whileServing(cluster, ['--no-open'], async (address) => {
    ;({ origin } = address)
    expect(cluster.openedAddresses()).toEqual([])
    const page = await uiRequest(origin)
    expect(page.body).toContain('<script type="module" src="/app.js">')
    // Inline scripts and styles would be blocked by the policy.
    expect(page.body).not.toMatch(/<style|style=|<script>|\son\w+=|https?:/)
    expect((await uiRequest(`${origin}/app.js`)).headers['content-type']).toContain('text/javascript')
    expect((await uiRequest(`${origin}/app.css`)).body).toContain('--ground')
    const { body } = await uiRequest(`${origin}/api/snapshot`, { headers: bearer(address) })
    expect((JSON.parse(body) as UiModel).nodes).toEqual(['node-1'])
  })
  await expect(uiRequest(origin)).rejects.toThrow('ECONNREFUSED')
})

test('ui reads nothing until a page asks, and then the amounts of all pages at once', async () => {
  const cluster = testCluster()
  await whileServing(cluster, [], async (address) => {
    await uiRequest(address.origin)
    expect(cluster.requests()).toEqual([])
    const headers = bearer(address)
    await Promise.all([1, 2].map(() => uiRequest(`${address.origin}/api/snapshot`, { headers })))
    const paths = cluster.requests().map((path) => path.split('?')[0])
    expect(paths).toEqual([...new Set(paths)])
    expect(paths).toEqual(expect.arrayContaining(['/api/v1/nodes', '/api/v1/pods']))
  })
})

test('ui explains the pending pods as explain --all-pending does, with verified fixes', async () => {
  const cluster = testCluster()
  await cluster.addNode('node-1', { [dongle]: '4' })
  await cluster.addNode('node-2')
  await cluster.addPod('holds', { [dongle]: '3' }, { nodeName: 'node-1', metadata: { uid: 'h' } })
  await cluster.addPod('waits', { [dongle]: '2' })
  await cluster.addPod('waits-too', { [dongle]: '2' })
  const explained = JSON.parse(await cluster.run('explain', '--all-pending', '-A', '-o', 'json'))
  await whileServing(cluster, [], async (address) => {
    const { body } = await uiRequest(`${address.origin}/api/pending`, { headers: bearer(address) })
    const { groups } = JSON.parse(body) as PendingModel
    expect(groups.map(({ cause, count }) => ({ cause, count }))).toEqual(
      explained.groups.map(({ cause, count }: PendingGroup) => ({ cause, count })),
    )
    const group = groups.find(({ pods }) => pods.includes('default/waits'))
    expect(group).toMatchObject({
      pods: ['default/waits', 'default/waits-too'],
      nodeCount: 2,
      funnel: [{ plugin: 'NodeResourcesFit', before: 2, after: 0 }],
      nodes: [
        { node: 'node-1', reasons: [`Insufficient ${dongle}`] },
        { node: 'node-2', reasons: [`Insufficient ${dongle}`] },
      ],
    })
    expect(group?.fixes[0]).toMatchObject({ sentence: expect.stringContaining(`Request 1 ${dongle} instead of 2`) })
    expect(group?.fixes).toHaveLength(
      explained.groups.find(({ cause }: PendingGroup) => cause === group?.cause).answer.fixes.length,
    )
  })
})

test('ui says what it may not list', async () => {
  const cluster = testCluster()
  cluster.forbid('pods')
  await cluster.addNode('node-1')
  await whileServing(cluster, [], async (address) => {
    const { body } = await uiRequest(`${address.origin}/api/snapshot`, { headers: bearer(address) })
    expect((JSON.parse(body) as UiModel).notes).toEqual(['No pods are counted: this user may not list pods.'])
  })
})

test('ui --open opens an address whose code is good for one page', async () => {
  const cluster = testCluster()
  await whileServing(cluster, ['--open'], async (address) => {
    const [opened = ''] = await vi.waitFor(() => {
      expect(cluster.openedAddresses()).toHaveLength(1)
      return cluster.openedAddresses()
    })
    const { origin, hash } = new URL(opened)
    expect(origin).toBe(address.origin)
    const code = new URLSearchParams(hash.slice(1)).get('code')
    const headers = { authorization: `Bearer ${code}` }
    const { body } = await uiRequest(`${origin}/api/token`, { method: 'POST', headers })
    expect(`Bearer ${body}`).toBe(bearer(address)['authorization'])
  })
})

test('ui refuses --open with --no-open', async () => {
  await expect(testCluster().run('ui', '--open', '--no-open')).rejects.toMatchObject({ code: 'BERTH_KUBECTL_USAGE' })
})
