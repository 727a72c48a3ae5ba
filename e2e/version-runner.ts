import { join, relative } from 'node:path'
import { TestRunner, type RunnerTestFile } from 'vitest'
import { applyDifferences } from './cluster/apply-differences.ts'
import { testedKubernetes } from './cluster/kubernetes-version.ts'
import { differencesOf } from './cluster/listed-differences.ts'
import { versionDifferences } from './cluster/version-differences.ts'

/**
 * Runs the scenarios with the differences of the tested version of Kubernetes: leaves out the listed suites, and reports a
 * listed check as failed if it passes.
 */
// oxlint-disable-next-line import/no-default-export -- vitest loads the default export
export default class VersionRunner extends TestRunner {
  /** Called with the files of a run before their tests run. */
  onCollected(files: readonly RunnerTestFile[]): void {
    const entries = differencesOf(versionDifferences, testedKubernetes())
    const scenarios = join(import.meta.dirname, 'scenarios')
    for (const { filepath, tasks } of files) applyDifferences(tasks, relative(scenarios, filepath), entries)
  }
}
