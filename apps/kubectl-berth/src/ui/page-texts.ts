import { join } from 'node:path'
import type { PageTexts } from './bundle-page.ts'

/** Returns the texts of the page, bundled now. In the bundle, tsup.config.ts replaces this module by the texts. */
export async function pageTexts(): Promise<PageTexts> {
  const { bundlePage } = await import('./bundle-page.ts')
  return bundlePage(join(import.meta.dirname, 'page'))
}
