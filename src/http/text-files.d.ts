// Declares the type of files that the executable contains as text. They are imported `with { type: "text" }`.

declare module "*.sh";
