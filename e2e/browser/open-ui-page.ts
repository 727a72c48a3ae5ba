import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'

/** An open page of `kubectl berth ui`. */
export interface UiPage {
  readonly page: Page
  /** Messages of the browser, such as those about the policy. A test expects none. */
  readonly messages: readonly string[]
}

/** Where to write the screenshots of the docs, such as `$PWD/docs/ui`; undefined: nowhere. */
const screenshots = process.env['BERTH_UI_SCREENSHOTS']

/** Opens the page, and waits for its heat map. */
export async function openUiPage(
  browser: Browser,
  address: string,
  options: NonNullable<Parameters<Browser['newPage']>[0]> = {},
): Promise<UiPage> {
  const page = await browser.newPage({ viewport: { width: 1_200, height: 720 }, colorScheme: 'light', ...options })
  const messages: string[] = []
  page.on('console', (message) => void messages.push(message.text()))
  page.on('pageerror', (error) => void messages.push(String(error)))
  await page.goto(address)
  await page.getByRole('application').waitFor()
  return { page, messages }
}

/** Writes a screenshot for the docs, where these are wanted. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (screenshots === undefined) return
  mkdirSync(screenshots, { recursive: true })
  await page.screenshot({ path: join(screenshots, `${name}.png`) })
}
