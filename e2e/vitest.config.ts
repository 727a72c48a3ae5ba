import { defineConfig } from 'vitest/config'
import { lanes } from './cluster/lanes.ts'

// Tests read the client's sources; the apps under test are in the image.
const conditions = ['@berth/source', 'module', 'node', 'development|production']
// Folders that the plan excludes for this cluster. `run.ts` logs them with the reason.
const excluded = (process.env['BERTH_E2E_EXCLUDED'] ?? '').split(',').filter((folder) => folder !== '')

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    runner: './version-runner.ts',
    exclude: excluded.map((folder) => `scenarios/${folder}/**`),
    projects: lanes.map(({ name, folders, usesCluster }) => ({
      extends: true,
      test: {
        name,
        include: folders.map((folder) => `scenarios/${folder}/**/*.test.ts`),
        setupFiles: usesCluster ? ['cluster/save-diagnostics-on-failure.ts'] : [],
      },
    })),
    // One file of a lane at a time. `run.ts` starts a vitest for each lane.
    fileParallelism: false,
    // Concurrent tests mostly wait for the API server to serve a kind.
    maxConcurrency: 8,
    // Longer than the sum of all waits in one test: a test that takes longer hangs.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    // A condition that is polled for. Vitest's default of a second would be a claim about speed.
    expect: { poll: { timeout: 60_000 } },
  },
})
