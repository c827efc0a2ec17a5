// What the library types as `any`, as `unknown`: what comes from outside is looked at before it is used.
interface JSON {
  parse(text: string): unknown;
}
interface Body {
  json(): Promise<unknown>;
}

// esbuild puts every imported style sheet into the one file that index.html links.
declare module "*.css";
