import { defineConfig } from 'vitest/config'

// Tests read the sources, so they need no build.
const conditions = ['@berth/source', 'module', 'node', 'development|production']
const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } }
const source = '{packages,apps,plugins,examples/plugins}/**/src'

/**
 * A test that takes so long hangs. No test claims anything by it: to compile and start a program takes half a minute where
 * every core has five things to do.
 */
const HANGS_MS = 180_000
/** A condition that is polled for. Vitest's default of a second would be a claim about speed. */
const expectConfig = { poll: { timeout: 60_000 } }

export default defineConfig({
  ...shared,
  test: {
    // All cores: the default leaves one idle, which on two cores is half of them.
    maxWorkers: '100%',
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: [
            `${source}/**/*.test.ts`,
            'tools/**/*.test.ts',
            'bench/**/*.test.ts',
            'e2e/{cluster,image,node-image,real-api-server,upstream}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', '**/dist/**', 'tools/{story,bad-input,walks,publish,guides,release}/test/**'],
          // Their modules keep no state between tests, and importing them anew for each file took twice as long as the tests.
          isolate: false,
          // Recorded answers by the hundred and fuzzing take a few seconds where cores are few.
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          expect: expectConfig,
          benchmark: { include: [] },
        },
      },
      {
        ...shared,
        test: {
          name: 'component',
          include: ['{packages,apps,plugins,charts}/*/test/**/*.test.ts', 'faults/**/*.test.ts'],
          testTimeout: HANGS_MS,
          hookTimeout: HANGS_MS,
          expect: expectConfig,
          benchmark: { include: [] },
        },
      },
      {
        ...shared,
        test: {
          name: 'story',
          include: ['tools/{story,bad-input,walks,publish,guides,release}/test/**/*.test.ts'],
          testTimeout: 2 * HANGS_MS,
          hookTimeout: 2 * HANGS_MS,
          fileParallelism: false,
          expect: expectConfig,
          benchmark: { include: [] },
        },
      },
    ],
    coverage: {
      provider: 'v8',
      reporter: ['text-summary', 'json-summary'],
      include: ['{packages,apps,plugins}/*/src/**/*.ts'],
      exclude: [
        '**/*.test.ts',
        '**/*.bench.ts',
        '**/gen/**',
        '**/testing/**',
        '**/main.ts',
        '**/index.ts',
        'packages/types/**',
      ],
      thresholds: {
        'packages/resources/src/**': { lines: 90 },
        'packages/fit-engine/src/**': { lines: 90 },
        'packages/k8s-client/src/**': { lines: 90 },
        '{packages/{clock,cluster-view,device-discovery,kubelet-api,plugin-api,process,simulator,text},apps/*,plugins/*}/src/**':
          {
            lines: 80,
          },
      },
    },
  },
})
