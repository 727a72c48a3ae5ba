import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resourceRefs } from '@berth/k8s-client'
import type { Pod } from '@berth/types'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KubectlBerthProcess, startSimulatedCluster, startUi } from '../../browser/kubectl-berth-process.ts'
import { openUiPage, screenshot, type UiPage } from '../../browser/open-ui-page.ts'
import { startChromium } from '../../browser/start-chromium.ts'
import { connectWithKubeconfig } from '../../cluster/connect-with-kubeconfig.ts'

const dongle = 'example.com/dongle'
const dir = mkdtempSync(join(tmpdir(), 'berth-ui-'))
const kubeconfig = join(dir, 'kubeconfig')
const started: AsyncDisposable[] = []
let browser: Browser
let ui: KubectlBerthProcess

beforeAll(async () => {
  started.push(await startSimulatedCluster(dir, ['--nodes', '24', '--pods', '60', '--device', `${dongle}=8`]))
  await using cluster = connectWithKubeconfig(kubeconfig)
  const request = (name: string, units: number): Promise<Pod> => {
    const asks = { [dongle]: String(units), cpu: '500m' }
    const container = { name: 'main', image: 'busybox', resources: { requests: asks, limits: asks } }
    return cluster.client.create<Pod>(resourceRefs.pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { containers: [container] },
    })
  }
  for (let i = 0; i < 24; i++) await request(`holds-${i}`, 1 + (i % 7))
  for (let i = 0; i < 3; i++) await request(`too-large-${i}`, 12)
  ui = await startUi(kubeconfig)
  started.push(ui)
  browser = await startChromium()
})
afterAll(async () => {
  await browser.close()
  for (const one of started.toReversed()) await one[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

const openPage = (): Promise<UiPage> => openUiPage(browser, ui.output.trim())
const theme = (page: Page): Promise<string | null> => page.locator('html').getAttribute('data-theme')

describe('the page of kubectl berth ui in Chromium', () => {
  test('shows the heat map without an error, and hides the token from the address', async () => {
    const { page, messages } = await openPage()
    await expect.poll(() => page.getByText('24 of 24 nodes').count()).toBe(1)
    expect(await page.evaluate(() => performance.getEntriesByName('heat-map').length)).toBe(1)
    expect(page.url()).not.toContain('token')
    await page.reload()
    await page.getByRole('application').waitFor()
    expect(messages).toEqual([])
    await screenshot(page, 'heat-map')
    await page.close()
  })

  test('is used with the keyboard alone', async () => {
    const { page, messages } = await openPage()
    const detail = page.getByRole('status')
    await expect.poll(() => detail.textContent()).toContain('node-1, cpu: ')
    await page.getByRole('application').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => detail.textContent()).toMatch(/^node-10, example\.com\/dongle: \d of 8 units requested, /)
    await page.keyboard.press('s')
    await expect.poll(() => page.getByText(`by the requested share of ${dongle}`).count()).toBe(1)
    await page.keyboard.press('/')
    await page.keyboard.type('node-2')
    await expect.poll(() => page.getByText('6 of 24 nodes').count()).toBe(1)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByText('24 of 24 nodes').count()).toBe(1)
    await page.keyboard.press('t')
    await expect.poll(() => theme(page)).toBe('dark')
    await page.keyboard.press('2')
    await page.getByRole('article', { name: dongle }).waitFor()
    await screenshot(page, 'allocation')
    expect(await page.getByRole('article', { name: dongle }).textContent()).toMatch(
      /The largest request that still fits: \d/,
    )
    await page.keyboard.press('t')
    await expect.poll(() => theme(page)).toBe('light')
    expect(messages).toEqual([])
    await page.close()
  })

  test('explains the pending pods with filters and fixes, and follows the cluster', async () => {
    const { page, messages } = await openPage()
    await page.keyboard.press('3')
    const group = page.getByRole('article', { name: `Insufficient ${dongle}` })
    await group.waitFor()
    await screenshot(page, 'pending')
    const text = await group.textContent()
    expect(text).toContain('3 pods: 0/24 nodes are available')
    expect(text).toContain('NodeResourcesFit24 → 0')
    expect(text).toContain('What would help')
    await using cluster = connectWithKubeconfig(kubeconfig)
    await cluster.client.delete(resourceRefs.pods, { namespace: 'default', name: 'too-large-0' })
    await expect.poll(() => group.textContent(), { timeout: 30_000 }).toContain('2 pods: ')
    await expect.poll(() => page.getByRole('banner').textContent(), { timeout: 30_000 }).toContain('2 pending pods')
    expect(messages).toEqual([])
    await page.close()
  })

  test('runs no inline script and loads nothing from elsewhere', async () => {
    const { page } = await openPage()
    // As text, because these run in the page.
    await page.evaluate(`{
      const script = document.createElement('script')
      script.textContent = 'window.injected = true'
      document.body.append(script)
    }`)
    expect(await page.evaluate('window.injected')).toBeUndefined()
    expect(await page.evaluate(() => fetch('https://example.com/').then(String, String))).toContain('Failed to fetch')
    await page.close()
  })

  test('gives nothing to a page of another origin, also with the token', async () => {
    const other = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>other</p>'))
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
    const page = await browser.newPage()
    await page.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
    const { origin, hash } = new URL(ui.output.trim())
    const token = new URLSearchParams(hash.slice(1)).get('token')
    const answer = await page.evaluate(
      ([url = '', authorization = '']) => fetch(url, { headers: { authorization } }).then(String, String),
      [`${origin}/api/snapshot`, `Bearer ${token}`],
    )
    expect(answer).toContain('Failed to fetch')
    await page.close()
    await new Promise((resolve) => other.close(resolve))
  })
})
