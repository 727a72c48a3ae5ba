import { beforeEach } from 'vitest'
import { saveDiagnostics } from './save-diagnostics.ts'
import { testEnvironment } from './test-environment.ts'

// Runs before the cleanup, so that it saves the cluster as the failed scenario left it.
beforeEach(({ task, onTestFailed }) => {
  onTestFailed(async () => {
    console.error(`diagnostics: ${await saveDiagnostics(testEnvironment(), `${task.file.name}-${task.name}`)}`)
  }, 240_000)
})
