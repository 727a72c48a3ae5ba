import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceRefs } from '@berth/k8s-client'
import type { Node, Pod } from '@berth/types'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type KubectlBerthProcess,
  startRecordedUi,
  startSimulatedCluster,
  startUi,
} from '../../browser/kubectl-berth-process.ts'
import { openUiPage, screenshot } from '../../browser/open-ui-page.ts'
import { startChromium } from '../../browser/start-chromium.ts'
import { connectWithKubeconfig } from '../../cluster/connect-with-kubeconfig.ts'

const dongle = 'example.com/dongle'
const dir = mkdtempSync(join(tmpdir(), 'berth-ui-timeline-'))
const kubeconfig = join(dir, 'kubeconfig')
const recording = join(dir, 'recording.log')
const started: AsyncDisposable[] = []
let browser: Browser
let cluster: ReturnType<typeof connectWithKubeconfig>
let ui: KubectlBerthProcess

beforeAll(async () => {
  started.push(await startSimulatedCluster(dir, ['--nodes', '12', '--pods', '20', '--device', `${dongle}=8`]))
  cluster = connectWithKubeconfig(kubeconfig)
  ui = await startUi(kubeconfig, ['--record', recording])
  browser = await startChromium()
})
afterAll(async () => {
  await browser.close()
  await ui[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
  for (const one of started.toReversed()) await one[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

async function request(name: string, units: number): Promise<void> {
  const asks = { [dongle]: String(units), cpu: '500m' }
  const container = { name: 'main', image: 'busybox', resources: { requests: asks, limits: asks } }
  await cluster.client.create<Pod>(resourceRefs.pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { containers: [container] },
  })
}

describe('the timeline of kubectl berth ui in Chromium', () => {
  test('shows arrivals, placements and ends as they happen, and the cluster of an earlier time', async () => {
    const { page, messages } = await openUiPage(browser, ui.output.trim())
    await page.keyboard.press('4')
    const timeline = page.getByRole('region', { name: 'Timeline' })
    await timeline.waitFor()
    const table = timeline.locator('table.points')
    for (let i = 0; i < 6; i++) {
      await request(`job-${i}`, 3 + i)
      // Each change is a point of its own.
      await expect.poll(() => table.textContent()).toContain(`default/job-${i}`)
    }
    await expect.poll(() => table.textContent()).toMatch(/placed: [^;]*default\/job-5/)
    await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name: 'job-0' })
    await expect.poll(() => table.textContent()).toContain('ended: default/job-0')
    await request('too-large', 9)
    await expect.poll(() => table.textContent()).toContain('became pending: default/too-large')
    await cluster.client.patch<Node>(
      resourceRefs.nodes,
      { name: 'node-1' },
      { spec: { unschedulable: true } },
      { type: 'merge' },
    )
    await expect.poll(() => table.textContent()).toContain('node changed: node-1')
    expect(await timeline.locator('.chart canvas').count()).toBe(2)
    await screenshot(page, 'timeline')

    await page.keyboard.press('2')
    const bar = page.getByRole('article', { name: dongle })
    await expect.poll(() => bar.textContent()).toContain('30 of 96 units requested')
    const slider = page.getByRole('slider', { name: 'Time' })
    await slider.focus()
    await page.keyboard.press('Home')
    await expect.poll(() => bar.textContent()).toContain(': 0 of 96 units requested')
    await expect.poll(() => page.getByText('before the last change').count()).toBe(1)
    expect(await page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed')).toBe('false')
    // What arrives meanwhile does not move the shown time.
    await request('later', 1)
    await expect.poll(() => slider.getAttribute('aria-valuemax')).not.toBe('0')
    expect(await bar.textContent()).toContain(': 0 of 96 units requested')
    await page.keyboard.press('l')
    await expect.poll(() => bar.textContent()).toContain('31 of 96 units requested')
    expect(messages).toEqual([])
    await page.close()
  })

  test('follows the tabs, the dialog and the steps of time with the keyboard', async () => {
    const { page, messages } = await openUiPage(browser, ui.output.trim(), { colorScheme: 'dark' })
    await page.getByRole('tab', { name: 'Heat map' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.getByRole('tab', { name: 'Allocation' }).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keys' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('4')
    // The page renders later than a key is pressed, and the slider last. So each step waits for the slider.
    const slider = page.getByRole('slider', { name: 'Time' })
    const moment = async (): Promise<number> => Number(await slider.getAttribute('aria-valuenow'))
    const current = page.locator('tr[aria-current="time"] button')
    await expect.poll(moment).toBeGreaterThan(5)
    const at = (await moment()) - 1
    await page.keyboard.press(',')
    await expect.poll(moment).toBe(at)
    await page.keyboard.press(',')
    await expect.poll(moment).toBe(at - 1)
    await expect.poll(() => current.textContent()).toContain('▶')
    await screenshot(page, 'timeline-dark')
    await page.keyboard.press('.')
    // Two changes may have the same time, in tenths of a second, so that the text of the row says nothing.
    await expect.poll(moment).toBe(at)
    // Keys that arrive before the page is rendered again.
    // As text, because it runs in the page.
    await page.evaluate(
      "for (const key of ',,,') document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))",
    )
    await expect.poll(moment).toBe(at - 3)
    expect(messages).toEqual([])
    await page.close()
  })

  test('fits on a narrow screen', async () => {
    const { page, messages } = await openUiPage(browser, ui.output.trim(), { viewport: { width: 390, height: 800 } })
    for (const [key, name] of [
      ['1', 'heat-map'],
      ['4', 'timeline'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('region', { name: name === 'heat-map' ? 'Heat map' : 'Timeline' }).waitFor()
      // As text, because it runs in the page.
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await screenshot(page, `${name}-narrow`)
    }
    expect(messages).toEqual([])
    await page.close()
  })

  test('says that the connection is lost, and keeps what it shows', async () => {
    await using other = await startUi(kubeconfig)
    const { page } = await openUiPage(browser, other.output.trim())
    await other[Symbol.asyncDispose]()
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('may be out of date')
    expect(await page.getByRole('banner').textContent()).toContain('Not up to date: 12 nodes')
    await page.close()
  })
})

describe('a recording in Chromium', () => {
  test('is shown from its first to its last change', async () => {
    // The file is complete when the program has ended.
    await ui[Symbol.asyncDispose]()
    await using recorded = await startRecordedUi(recording)
    const { page, messages } = await openUiPage(browser, recorded.output.trim())
    await expect.poll(() => page.getByRole('banner').textContent()).toContain('Recording: 12 nodes')
    await page.keyboard.press('2')
    const bar = page.getByRole('article', { name: dongle })
    await expect.poll(() => bar.textContent()).toContain('31 of 96 units requested')
    await page.getByRole('slider', { name: 'Time' }).focus()
    await page.keyboard.press('Home')
    await expect.poll(() => bar.textContent()).toContain(': 0 of 96 units requested')
    await page.keyboard.press('3')
    await page.getByText('A recording holds nodes and pods.').waitFor()
    expect(messages).toEqual([])
    await page.close()
  })

  test('is a timeline that simulate repeats', async () => {
    const other = mkdtempSync(join(tmpdir(), 'berth-ui-repeated-'))
    try {
      const flags = ['--nodes', '0', '--timeline', recording, '--speed', '1000']
      await using _repeated = await startSimulatedCluster(other, flags)
      await using repeated = connectWithKubeconfig(join(other, 'kubeconfig'))
      const names = async (ref: typeof resourceRefs.pods): Promise<readonly string[]> =>
        (await repeated.client.list<Pod>(ref)).items.map(({ metadata }) => metadata.name ?? '')
      await expect.poll(() => names(resourceRefs.nodes), { timeout: 30_000 }).toHaveLength(12)
      await expect.poll(() => names(resourceRefs.pods), { timeout: 30_000 }).toContain('later')
      expect(await names(resourceRefs.pods)).not.toContain('job-0')
    } finally {
      rmSync(other, { recursive: true, force: true })
    }
  })

  test('leaves nothing of the rows that it no longer shows in memory', async () => {
    const long = join(dir, 'long.log')
    const [first = ''] = readFileSync(recording, 'utf8').split('\n')
    const event = JSON.parse(first) as { readonly stageTimestamp: string; readonly requestObject: Node }
    const startMs = Date.parse(event.stageTimestamp)
    const eventOf = (i: number): object => {
      const [name, time] = [`node-${i}`, new Date(startMs + 1_000 * i).toISOString()]
      const object = { ...event.requestObject, metadata: { ...event.requestObject.metadata, name } }
      const times = { requestReceivedTimestamp: time, stageTimestamp: time }
      return { ...event, ...times, objectRef: { resource: 'nodes', name }, requestObject: object }
    }
    writeFileSync(long, Array.from({ length: 90 }, (_, i) => `${JSON.stringify(eventOf(i))}\n`).join(''))
    await using recorded = await startRecordedUi(long)
    const { page } = await openUiPage(browser, recorded.output.trim())
    const current = page.locator('tr[aria-current="time"] button')
    const stepBack = async (steps: number): Promise<void> => {
      for (let i = 0; i < steps; i++) {
        const time = (await current.textContent()) ?? ''
        await page.keyboard.press(',')
        await expect.poll(() => current.textContent(), { interval: 5 }).not.toBe(time)
      }
    }
    const devtools = await page.context().newCDPSession(page)
    const liveNodes = async (): Promise<number> => {
      await devtools.send('HeapProfiler.collectGarbage')
      return (await devtools.send('Memory.getDOMCounters')).nodes
    }
    await page.keyboard.press('4')
    await current.waitFor()
    // The first ten steps do not move the rows.
    await stepBack(15)
    const before = await liveNodes()
    await stepBack(60)
    await expect.poll(liveNodes).toBeLessThan(before + 300)
    await page.close()
  })

  test('runs no code that its names hold', async () => {
    const hostile = join(dir, 'hostile.log')
    const attack = '<img src=x onerror=window.injected=1>'
    const [first = ''] = readFileSync(recording, 'utf8').split('\n')
    const event = JSON.parse(first) as { readonly requestObject: Node }
    const node = structuredClone(event.requestObject)
    const amounts = { cpu: '4', [attack]: '2', '<script>window.injected=1</script>': '3', ['__proto__' as string]: '1' }
    const object = {
      ...node,
      metadata: { ...node.metadata, name: attack },
      status: { capacity: amounts, allocatable: amounts },
    }
    writeFileSync(
      hostile,
      `${JSON.stringify({ ...event, objectRef: { resource: 'nodes', name: attack }, requestObject: object })}\n`,
    )
    await using recorded = await startRecordedUi(hostile)
    const { page, messages } = await openUiPage(browser, recorded.output.trim())
    for (const key of ['1', '2', '3', '4']) {
      await page.keyboard.press(key)
      await page.getByRole('tabpanel').waitFor()
    }
    expect(await page.evaluate('window.injected')).toBeUndefined()
    expect(messages).toEqual([])
    await page.close()
  })
})
