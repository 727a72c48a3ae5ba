/** Contents of one generated file: a group version of the Kubernetes API. */
export interface GroupVersionFile {
  readonly group: string
  readonly version: string
  /** Prefix of the OpenAPI names of its types: `io.k8s.api.apps.v1`. */
  readonly package: string
  readonly kinds: Readonly<Record<string, KindEntry>>
  readonly types: Readonly<Record<string, TypeEntry>>
}

/** A kind; one with a plural is a resource. */
export interface KindEntry {
  readonly plural?: string
  readonly namespaced?: boolean
  /** Subresources with a client method upstream: `status`, `scale`, `resize`. Streams such as `log` are not listed. */
  readonly subresources?: readonly string[]
}

/** An object type. Absent booleans are false. */
export interface TypeEntry {
  /** Whether it has `apiVersion` and `kind`, which protobuf keeps outside the message. */
  readonly root?: boolean
  /** Whether its JSON is the value of the one field that is set, without an object around it. */
  readonly union?: boolean
  /** Whether server-side apply owns it as a whole. */
  readonly atomic?: boolean
  /** Types whose fields JSON shows as the type's own, by the protobuf number of the message that holds them. */
  readonly inlined?: Readonly<Record<string, number>>
  readonly fields: Readonly<Record<string, FieldEntry>>
}

/** A field of an object type. Absent booleans are false; `Field` and `Encoding` explain them. */
export interface FieldEntry {
  /** A scalar, a type of the same file, or an OpenAPI name; `[]T` is a list and `{}T` a map with string keys. */
  readonly type: string
  readonly number?: number
  readonly required?: boolean
  readonly pointer?: boolean
  readonly keepsEmpty?: boolean
  readonly omitsZero?: boolean
  readonly wrapped?: boolean
  readonly listType?: string
  readonly listMapKeys?: readonly string[]
  readonly atomic?: boolean
  readonly patchStrategy?: readonly string[]
  readonly patchMergeKey?: string
}

/** Contents of one generated file of descriptions. */
export interface DescriptionsFile {
  /** As in {@link GroupVersionFile}. */
  readonly package: string
  readonly types: Readonly<Record<string, TypeDescription>>
}

/** Upstream's documentation of a type and its fields. */
export interface TypeDescription {
  readonly description?: string
  /** By the field's JSON name. */
  readonly fields: Readonly<Record<string, string>>
}
