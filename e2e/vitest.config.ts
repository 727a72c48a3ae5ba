import { defineConfig } from 'vitest/config'

// Tests read the client's sources; the apps under test are in the image.
const conditions = ['@berth/source', 'module', 'node', 'development|production']
// Folders that the plan leaves out for this cluster; `run.ts` says which and why.
const leftOut = (process.env['BERTH_E2E_LEFT_OUT'] ?? '').split(',').filter((folder) => folder !== '')

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['scenarios/**/*.test.ts'],
    exclude: leftOut.map((folder) => `scenarios/${folder}/**`),
    setupFiles: ['cluster/keep-evidence.ts'],
    // One cluster, one file at a time.
    fileParallelism: false,
    // Exchanges that mostly wait for the API server to serve a kind.
    maxConcurrency: 8,
    // Longer than all that is waited for in one of them: a test that takes so long hangs.
    testTimeout: 900_000,
    hookTimeout: 900_000,
  },
})
