import { recordContract } from '../plugin-contract/record-contract.ts'
import { chartFiles } from './chart-files.ts'
import { builtInPluginsPage } from './built-in-plugins-page.ts'
import { readCatalogues } from './catalogues.ts'
import { configPage } from './config-page.ts'
import { errorsPage } from './errors-page.ts'
import { metricsPage } from './metrics-page.ts'
import { pluginsPage } from './plugins-page.ts'
import { alertGroups } from '../observability/alerts/alert-groups.ts'
import { runbookIndex } from './runbook-index.ts'
import { versionModule } from './version-module.ts'

/** Returns every generated file: path from the root of the repository -> text. */
export async function generatedFiles(root: string): Promise<ReadonlyMap<string, string>> {
  const catalogues = await readCatalogues(root)
  return new Map([
    ['docs/built-in-plugins.md', builtInPluginsPage()],
    ['docs/config.md', configPage(catalogues)],
    ['docs/errors.md', errorsPage(catalogues)],
    ['docs/metrics.md', metricsPage(catalogues)],
    ['docs/plugins.md', await pluginsPage(root)],
    ['docs/runbook/README.md', runbookIndex(alertGroups)],
    recordContract(root),
    ['packages/process/src/version.ts', versionModule(root)],
    ...(await chartFiles(root)),
  ])
}
