import { beforeEach } from 'vitest'
import { keepEvidence } from './save-diagnostics.ts'
import { sessionUnderTest } from './test-environment.ts'

// Before anything is cleaned up: the cluster as the failed scenario left it.
beforeEach(({ task, onTestFailed }) => {
  onTestFailed(async () => {
    console.error(`evidence: ${await keepEvidence(sessionUnderTest(), `${task.file.name}-${task.name}`)}`)
  }, 240_000)
})
