import { join } from 'node:path'
import { buildGoProgram } from '../../go/build-go-program.ts'

const modules = join(import.meta.dirname, '..', '..', '..', 'e2e', 'node-image', 'modules')

/**
 * Builds the unmodified kube-scheduler of the version that the end-to-end tests use, unless the cache has a build of it.
 *
 * @returns The path of the program.
 * @throws Error when Go is missing, or with the compiler's output.
 */
export function buildKubeScheduler(): string {
  return buildGoProgram({
    name: 'kube-scheduler',
    module: join(modules, 'kubernetes'),
    package: 'k8s.io/kubernetes/cmd/kube-scheduler',
    files: ['go.mod', 'go.sum'],
    flags: ['-ldflags=-s -w'],
  })
}
