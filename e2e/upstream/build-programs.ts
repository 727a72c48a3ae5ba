import { join } from 'node:path'
import { buildGoProgram } from '../cluster/build-go-program.ts'

const module = join(import.meta.dirname, 'module')
/** The version of Kubernetes that the module requires. The programs report it as their own. */
const VERSION = 'v1.36.3'
const linkerFlags = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
  .flatMap((name) => [`-X ${name}.gitVersion=${VERSION}`, `-X ${name}.gitMajor=1`, `-X ${name}.gitMinor=36`])
  .join(' ')

/** Paths of upstream's programs. */
export interface UpstreamPrograms {
  /** Runs a suite. */
  readonly ginkgo: string
  /** Kubernetes' end-to-end suite. */
  readonly suite: string
  /** The program in the image of most specs. */
  readonly agnhost: string
}

/**
 * Builds upstream's end-to-end suite, its runner and the program of its test image from their Go modules, or finds them
 * in the cache.
 *
 * @param binDir - Folder of the cache.
 */
export async function buildPrograms(binDir: string, log: (text: string) => void): Promise<UpstreamPrograms> {
  const [ginkgo, suite, agnhost] = ['ginkgo', 'e2e.test', 'agnhost'].map((name) => join(binDir, name)) as [
    string,
    string,
    string,
  ]
  // One after the other: each linker needs some GiB of memory.
  await buildGoProgram({ module, package: 'github.com/onsi/ginkgo/v2/ginkgo', path: ginkgo }, log)
  const tests = { module, package: 'k8s.io/kubernetes/test/e2e', command: ['test', '-c'] }
  await buildGoProgram({ ...tests, path: suite, linkerFlags }, log)
  await buildGoProgram({ module, package: 'k8s.io/kubernetes/test/images/agnhost', path: agnhost }, log)
  return { ginkgo, suite, agnhost }
}
