import { defineConfig } from 'vitest/config'

// Tests read the client's sources; the apps under test are the built bundles.
const conditions = ['@berth/source', 'module', 'node', 'development|production']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['scenarios/*.test.ts'],
    // One cluster, one scenario at a time.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
