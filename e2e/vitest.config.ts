import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['scenarios/*.test.ts'],
    // One cluster, one scenario at a time.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
})
