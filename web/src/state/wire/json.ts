// JSON, and the arguments of a call.

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type Args = { readonly [key: string]: Json };
