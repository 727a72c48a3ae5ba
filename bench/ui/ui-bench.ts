import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulatedCluster, startUi } from '@berth/e2e/browser/kubectl-berth-process'
import { startChromium } from '@berth/e2e/browser/start-chromium'
import { assertCorrect, type Bench, type BenchOptions, type Measurement } from '../measurement.ts'
import { summarize } from '../statistics.ts'
import { bindPods } from './bind-pods.ts'
import { type TraceEvent, workPerFrame } from './work-per-frame.ts'

type Browser = Awaited<ReturnType<typeof startChromium>>
type Page = Awaited<ReturnType<Browser['newPage']>>

const line = (name: string, samples: readonly number[]): Measurement => ({
  bench: 'ui',
  case: name,
  unit: 'ms',
  ...summarize(samples),
})

/** Measures the page of `kubectl berth ui` in Chromium. */
export const uiBench: Bench = {
  name: 'ui',
  summary:
    'the page of kubectl berth ui in Chromium with 5,000 nodes: first paint, and work of the main thread per frame, also while 50 pods a second are bound',
  async run(options) {
    const nodes = options.isQuick ? 100 : 5_000
    const dir = mkdtempSync(join(tmpdir(), 'berth-bench-'))
    const kubeconfig = join(dir, 'kubeconfig')
    try {
      const devices = ['--device', 'example.com/dongle=8', '--device', 'example.com/widget=4']
      const size = ['--nodes', String(nodes), '--pods', String(2 * nodes), '--no-default-scheduler']
      await using _cluster = await startSimulatedCluster(dir, [...size, ...devices])
      await using ui = await startUi(kubeconfig)
      const browser = await startChromium()
      try {
        return await measure(browser, { address: ui.output.trim(), kubeconfig, nodes, options })
      } finally {
        await browser.close()
      }
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  },
}

interface Setup {
  readonly address: string
  readonly kubeconfig: string
  readonly nodes: number
  readonly options: BenchOptions
}

async function measure(browser: Browser, setup: Setup): Promise<readonly Measurement[]> {
  const { options } = setup
  const opened = await measureOpening(browser, setup)
  const page = await openPage(browser, setup.address, setup.nodes)
  const lines = [...opened]
  for (const [name, use] of Object.entries(uses)) lines.push(await traced(browser, page, name, () => use(page), setup))
  for (const [key, name] of Object.entries(viewKeys)) {
    await page.keyboard.press(key)
    await page.getByRole('region', { name, exact: true }).waitFor()
    const before = await liveBytes(page)
    lines.push(await traced(browser, page, `${name} while 50 pods a second are bound`, () => change(setup), setup))
    const grown = (await liveBytes(page)) - before
    options.progress(`${name}: the live heap of the page has grown by ${Math.round(grown / 1024)} KiB`)
    lines.push({
      ...line(`live heap of the page, growth, ${name} while 50 pods a second are bound`, [grown]),
      unit: 'B',
    })
  }
  const banner = (await page.getByRole('banner').textContent()) ?? ''
  assertCorrect(banner.includes('Live'), `the page says: ${banner}`)
  await page.close()
  return lines
}

async function measureOpening(browser: Browser, { address, nodes, options }: Setup): Promise<readonly Measurement[]> {
  const first: number[] = []
  const map: number[] = []
  for (let i = 0; i < (options.isQuick ? 2 : 7); i++) {
    const page = await openPage(browser, address, nodes)
    // As text, because it runs in the page.
    first.push(await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    map.push(await page.evaluate<number>("performance.getEntriesByName('heat-map')[0].startTime"))
    await page.close()
    options.progress(
      `opened: first paint ${Math.round(first.at(-1) ?? 0)} ms, heat map ${Math.round(map.at(-1) ?? 0)} ms`,
    )
  }
  return [
    line('first paint', first),
    // The first time also reads the cluster.
    line('heat map drawn, cluster not read yet', map.slice(0, 1)),
    line('heat map drawn', map.slice(1)),
  ]
}

/** Measures the work of the main thread in the frames of some use of the page. */
async function traced(
  browser: Browser,
  page: Page,
  name: string,
  use: () => Promise<void>,
  { options }: Setup,
): Promise<Measurement> {
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline'] })
  await use()
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { readonly traceEvents: readonly TraceEvent[] }
  const frames = workPerFrame(trace.traceEvents)
  const late = frames.filter((ms) => ms > 16).length
  options.progress(`${name}: ${frames.length} frames with work, ${late} of them more than 16 ms`)
  return line(`main thread per frame, ${name}`, frames)
}

/** Returns what the JavaScript of the page holds after a collection of garbage. */
async function liveBytes(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  await devtools.detach()
  return usedSize
}

/** @throws WrongResultError when not all pods were bound. */
async function change({ kubeconfig, nodes, options }: Setup): Promise<void> {
  const seconds = options.isQuick ? 2 : 10
  const bound = await bindPods(kubeconfig, { nodes, count: 50 * seconds, perSecond: 50 })
  assertCorrect(bound === 50 * seconds, `${bound} pods were bound instead of ${50 * seconds}`)
}

/** The views by their keys. */
const viewKeys = { '1': 'Heat map', '2': 'Allocation', '4': 'Timeline' }

/** @throws WrongResultError when the page does not show all nodes. */
async function openPage(browser: Browser, address: string, nodes: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1_600, height: 1_000 } })
  await page.goto(address)
  const map = page.getByRole('application')
  await map.waitFor({ timeout: 120_000 })
  const text = (await page.getByRole('region', { name: 'Heat map' }).textContent()) ?? ''
  assertCorrect(text.includes(`${nodes} of ${nodes} nodes`), `the page says: ${text.slice(0, 80)}`)
  // Playwright's own wait would evaluate text, which the policy of the page forbids.
  while ((await page.evaluate<number>("performance.getEntriesByName('heat-map').length")) === 0)
    await page.waitForTimeout(10)
  return page
}

const STEPS = 100

/** Actions of a user, each for about {@link STEPS} frames. */
const uses: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async scrolling(page) {
    await page.mouse.move(800, 600)
    for (let i = 0; i < STEPS; i++) await page.mouse.wheel(0, 400)
  },
  async 'moving with the arrow keys'(page) {
    await page.getByRole('application').focus()
    for (let i = 0; i < STEPS; i++) await page.keyboard.press(i % 10 === 9 ? 'ArrowRight' : 'ArrowDown')
  },
  async sorting(page) {
    for (let i = 0; i < 10; i++) await page.keyboard.press('s')
  },
  async 'changing the view'(page) {
    for (const key of ['2', '4', '1', '4', '2', '1']) {
      await page.keyboard.press(key)
      // As text, because it runs in the page: the next frame.
      await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    }
  },
  async searching(page) {
    await page.keyboard.press('/')
    await page.keyboard.type('node-12')
    await page.keyboard.press('Escape')
  },
}
