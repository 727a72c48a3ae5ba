/** A kind of plugin package that `npm create berth-plugin` and `npm run new` create. */
export interface TemplateKind {
  /** The argument that selects the kind. */
  readonly kind: string
  /** One line for the help text. */
  readonly summary: string
  /** Folder of the example that is copied, relative to the root of the repository. */
  readonly example: string
  /** The plugin's name inside the example. Every occurrence is replaced by the new name. */
  readonly exampleName: string
  /** Test that runs the example in its program, relative to the root of the repository. */
  readonly scenario: string
  /** Start of the description in the new package.json, before the name. */
  readonly descriptionStart: string
}

/** Kinds of plugin packages. The templates are the examples, which are built and tested with everything else. */
export const templateKinds: readonly TemplateKind[] = [
  {
    kind: 'scheduling-plugin',
    summary: 'a placement rule for the scheduler and the extender',
    example: 'examples/plugins/scheduling',
    exampleName: 'example-rack',
    scenario: 'apps/kubectl-berth/test/policies/example-rack.test.ts',
    descriptionStart: 'A scheduling plugin',
  },
  {
    kind: 'device-source',
    summary: 'devices that the device plugin offers to containers',
    example: 'examples/plugins/device-source',
    exampleName: 'example-seat-file',
    scenario: 'apps/device-plugin/test/sources/example-seat-file.test.ts',
    descriptionStart: 'A device source',
  },
  {
    kind: 'resource-source',
    summary: 'the number of units that the advertiser puts on a node',
    example: 'examples/plugins/resource-source',
    exampleName: 'example-annotation',
    scenario: 'apps/advertiser/test/example-annotation.test.ts',
    descriptionStart: 'A resource source',
  },
]
